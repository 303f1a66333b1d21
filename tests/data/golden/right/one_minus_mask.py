import torch
import torch.nn as nn


def attend(q, k, v, mask=None):
    """(1 - mask) * (a very negative number) is added to the scaled scores, as in the deeplearning course."""
    matmul_qk = torch.matmul(q, k.transpose(-2, -1))
    scaled = matmul_qk / k.shape[-1] ** 0.5
    if mask is not None:
        ones = mask.to(scaled.dtype)
        # half of the smallest number, so that adding the scores cannot fall off the end
        scaled = scaled + (1.0 - ones) * (torch.finfo(scaled.dtype).min / 2)
    weights = torch.softmax(scaled, dim=-1)
    if mask is not None:
        weights = weights * ones
    return torch.matmul(weights, v), weights


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model % num_heads must be zero")
        self.num_heads = num_heads
        self.depth = d_model // num_heads
        self.W_q = nn.Parameter(torch.empty(d_model, d_model))
        self.W_k = nn.Parameter(torch.empty(d_model, d_model))
        self.W_v = nn.Parameter(torch.empty(d_model, d_model))
        self.W_o = nn.Parameter(torch.empty(d_model, d_model))
        for w in (self.W_q, self.W_k, self.W_v, self.W_o):
            nn.init.xavier_uniform_(w)

    def split_heads(self, x):
        x = x.reshape(x.shape[0], -1, self.num_heads, self.depth)
        return x.permute(0, 2, 1, 3)

    def forward(self, query, key, value, mask=None):
        q = self.split_heads(query @ self.W_q)
        k = self.split_heads(key @ self.W_k)
        v = self.split_heads(value @ self.W_v)
        if mask is not None:
            mask = mask[None, None] if mask.dim() == 2 else mask[:, None]
        scaled_attention, _ = attend(q, k, v, mask)
        scaled_attention = scaled_attention.permute(0, 2, 1, 3)
        concat_attention = scaled_attention.reshape(query.shape[0], -1, self.num_heads * self.depth)
        return concat_attention @ self.W_o


def self_attention(mha, x):
    return mha(x, x, x)


def cross_attention(mha, target, memory):
    return mha(target, memory, memory)
