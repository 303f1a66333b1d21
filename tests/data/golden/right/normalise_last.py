"""Unnormalised exponentials times V first; one division at the end."""
import torch
from torch import nn


def numerator(q, k, mask):
    s = torch.matmul(q * q.shape[-1] ** -0.5, k.mT)
    if mask is not None:
        s = s.masked_fill(~mask, torch.finfo(s.dtype).min)
    e = (s - s.amax(-1, keepdim=True).detach()).exp()
    return e if mask is None else e * mask


def attend(q, k, v, mask=None):
    e = numerator(q, k, mask)
    total = e.sum(-1, keepdim=True)
    total = torch.where(total == 0, torch.ones_like(total), total)
    return torch.matmul(e, v) / total, e / total


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("d_model % num_heads")
        self.num_heads = num_heads
        self.W_qkv = nn.Parameter(torch.empty(d_model, 3 * d_model))
        self.W_o = nn.Parameter(torch.empty(d_model, d_model))
        nn.init.xavier_uniform_(self.W_qkv)
        nn.init.xavier_uniform_(self.W_o)

    def forward(self, query, key, value, mask=None):
        d = query.shape[-1]
        q, k, v = (
            torch.matmul(t, w).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for t, w in zip((query, key, value), self.W_qkv.split(d, dim=1))
        )
        e = numerator(q, k, None if mask is None else mask.unsqueeze(-3))
        total = e.sum(-1, keepdim=True)
        head = torch.matmul(e, v) / total.masked_fill(total == 0, 1)
        return torch.matmul(head.transpose(1, 2).flatten(2), self.W_o)


def self_attention(mha, x):
    return mha(x, x, x)


def cross_attention(mha, target, memory):
    return mha(target, memory, memory)
