import copy
import math

import torch
from torch import nn


def attend(q, k, v, mask=None):
    scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)
        return _finish(scores.softmax(-1).masked_fill(mask == 0, 0), v)
    return _finish(scores.softmax(-1), v)


def _finish(p, v):
    return torch.matmul(p, v), p


class MultiHeadAttention(nn.Module):
    NAMES = ("W_q", "W_k", "W_v", "W_o")

    def __init__(self, d_model, num_heads):
        super().__init__()
        assert d_model % num_heads == 0
        self.d_k = d_model // num_heads
        self.h = num_heads
        first = nn.Linear(d_model, d_model, bias=False)
        for name in self.NAMES:
            self.add_module(name, copy.deepcopy(first))

    @property
    def linears(self):
        return [getattr(self, name) for name in self.NAMES]

    def forward(self, query, key, value, mask=None):
        if mask is not None:
            mask = mask.unsqueeze(-3)
        n = query.size(0)
        query, key, value = [
            lin(t).view(n, -1, self.h, self.d_k).transpose(1, 2) for lin, t in zip(self.linears, (query, key, value))
        ]
        x, self_attn = attend(query, key, value, mask)
        x = x.transpose(1, 2).contiguous().view(n, -1, self.h * self.d_k)
        return self.linears[-1](x)


def self_attention(mha, x):
    return mha(x, x, x)


def cross_attention(mha, target, memory):
    return mha(target, memory, memory)
