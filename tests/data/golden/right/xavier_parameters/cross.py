import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    """W_qkv is (d_model, 3*d_model): x @ W_qkv = [Q | K | V]."""

    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError(f"d_model={d_model} is not divisible by num_heads={num_heads}")
        self.num_heads = num_heads
        self.d_k = d_model // num_heads
        self.W_qkv = nn.Parameter(torch.empty(d_model, 3 * d_model))
        self.W_o = nn.Parameter(torch.empty(d_model, d_model))
        nn.init.xavier_uniform_(self.W_qkv, gain=2 ** -0.5)
        nn.init.xavier_uniform_(self.W_o)

    def forward(self, query, key, value, mask=None):
        d_model = self.num_heads * self.d_k
        q = query @ self.W_qkv[:, :d_model]
        k = key @ self.W_qkv[:, d_model : 2 * d_model]
        v = value @ self.W_qkv[:, 2 * d_model :]
        q, k, v = (t.view(t.shape[0], t.shape[1], self.num_heads, self.d_k).transpose(1, 2) for t in (q, k, v))
        scores = q @ k.transpose(-2, -1) / self.d_k**0.5
        if mask is not None:
            mask = mask.unsqueeze(1) if mask.dim() == 3 else mask
            scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
        weights = scores.softmax(-1)
        if mask is not None:
            weights = weights.masked_fill(~mask, 0)
        return (weights @ v).transpose(1, 2).flatten(2) @ self.W_o


def self_attention(mha, x):
    return mha(x, x, x)


def cross_attention(mha, target, memory):
    return mha(target, memory, memory)
