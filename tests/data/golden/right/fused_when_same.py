import torch
import torch.nn as nn
import torch.nn.functional as F


def attend(q, k, v, mask=None):
    s = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    if mask is not None:
        s = s + torch.zeros_like(mask, dtype=s.dtype).masked_fill(~mask, torch.finfo(s.dtype).min / 2)
    w = F.softmax(s, dim=-1)
    if mask is not None:
        w = w * mask
    return w @ v, w


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model must be divisible by num_heads")
        self.embed_dim, self.num_heads = d_model, num_heads
        self.W_qkv = nn.Linear(d_model, 3 * d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def in_proj(self, query, key, value):
        E, w = self.embed_dim, self.W_qkv.weight
        if query is key and key is value:
            return F.linear(query, w).chunk(3, dim=-1)
        if key is value:
            return F.linear(query, w[:E]), *F.linear(key, w[E:]).split(E, dim=-1)
        return F.linear(query, w[:E]), F.linear(key, w[E:2 * E]), F.linear(value, w[2 * E:])

    def forward(self, query, key, value, mask=None):
        q, k, v = self.in_proj(query, key, value)
        q, k, v = (t.reshape(*t.shape[:2], self.num_heads, -1).transpose(1, 2) for t in (q, k, v))
        heads, _ = attend(q, k, v, mask if mask is None else mask.unsqueeze(-3))
        return self.W_o(heads.transpose(1, 2).reshape(*query.shape))


def self_attention(mha, x):
    return mha(x, x, x)


def cross_attention(mha, target, memory):
    return mha(target, memory, memory)
