import torch
import torch.nn as nn


def my_softmax(x, dim=-1):
    top = x.max(dim=dim, keepdim=True).values
    e = torch.exp(x - top)
    return e / e.sum(dim=dim, keepdim=True)


def attend(q, k, v, mask=None):
    scores = torch.matmul(q, k.transpose(-2, -1)) / torch.sqrt(torch.tensor(k.shape[-1], dtype=q.dtype, device=q.device))
    if mask is None:
        weights = my_softmax(scores)
    else:
        visible = mask.any(dim=-1, keepdim=True)
        scores = scores.masked_fill(~mask & visible, float("-inf"))
        weights = my_softmax(scores).masked_fill(~visible, 0.0)
    return torch.matmul(weights, v), weights


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model must be divisible by num_heads")
        self.num_heads = num_heads
        self.d_k = d_model // num_heads
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def split(self, x):
        return x.reshape(x.shape[0], x.shape[1], self.num_heads, self.d_k).permute(0, 2, 1, 3)

    def forward(self, x):
        q, k, v = self.split(self.W_q(x)), self.split(self.W_k(x)), self.split(self.W_v(x))
        w = my_softmax(q @ k.permute(0, 1, 3, 2) / self.d_k ** 0.5)
        return self.W_o((w @ v).permute(0, 2, 1, 3).reshape(x.shape))


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, query, key, value, mask=None):
        q, k, v = self.split(self.W_q(query)), self.split(self.W_k(key)), self.split(self.W_v(value))
        if mask is not None:
            mask = mask.view(-1, 1, mask.shape[-2], mask.shape[-1])
        heads, _ = attend(q, k, v, mask)
        return self.W_o(heads.permute(0, 2, 1, 3).reshape(query.shape))


def self_attention(mha, x):
    return mha(x, x, x)


def cross_attention(mha, target, memory):
    return mha(target, memory, memory)
