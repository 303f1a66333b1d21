"""Heads are the first axis everywhere inside: (h, B, T, d_k)."""
import torch
from torch import nn


def project(x, w, num_heads):
    if w.shape[1] % num_heads:
        raise ValueError("heads must divide the width")
    per_head = w.reshape(w.shape[0], num_heads, -1).permute(1, 0, 2)      # (h, d_model, d_k)
    return (x.unsqueeze(0) @ per_head.unsqueeze(1)).transpose(0, 1)       # (h, B, T, d_k) -> (B, h, T, d_k)


def core(q, k, v, mask):
    """everything (h, B, ., .)"""
    s = q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5
    if mask is not None:
        s = s.masked_fill(~mask, torch.finfo(s.dtype).min)
    w = torch.softmax(s, -1)
    if mask is not None:
        w = w.masked_fill(~mask, 0)
    return w @ v, w


def attend(q, k, v, mask=None):
    q, k, v = q.transpose(0, 1), k.transpose(0, 1), v.transpose(0, 1)
    if mask is not None:
        while mask.dim() < 4:
            mask = mask[None]
        mask = mask.transpose(0, 1)
    heads, weights = core(q, k, v, mask)
    return heads.transpose(0, 1), weights.transpose(0, 1)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("heads must divide the width")
        self.h = num_heads
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def split(self, t):
        return t.view(t.size(0), t.size(1), self.h, -1).permute(2, 0, 1, 3)

    def forward(self, x):
        heads, _ = core(self.split(self.W_q(x)), self.split(self.W_k(x)), self.split(self.W_v(x)), None)
        return self.W_o(heads.permute(1, 2, 0, 3).flatten(2))


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, query, key, value, mask=None):
        q, k, v = self.split(self.W_q(query)), self.split(self.W_k(key)), self.split(self.W_v(value))
        # (Tq, Tk) and (B, Tq, Tk) both broadcast against (h, B, Tq, Tk) as they are
        heads, _ = core(q, k, v, mask)
        return self.W_o(heads.permute(1, 2, 0, 3).flatten(2))


def self_attention(mha, x):
    return mha(x, x, x)


def cross_attention(mha, target, memory):
    return mha(target, memory, memory)
