"""Only strides change; nothing is copied before it has to be."""
import torch
from torch import nn


def split(y, h):
    B, T, n = y.shape
    y = y.contiguous()
    d = n // h
    return torch.as_strided(y, (B, h, T, d), (T * n, d, n, 1))


def project(x, w, num_heads):
    if w.shape[1] % num_heads != 0:
        raise ValueError(f"{w.shape[1]} columns do not stride into {num_heads} heads")
    return split(x @ w, num_heads)


def concat(heads):
    B, h, T, d = heads.shape
    rows = heads.transpose(1, 2).contiguous()
    return rows.as_strided((B, T, h * d), (T * h * d, h * d, 1))


def attend(q, k, v, mask=None):
    s = (q @ k.mT) * q.shape[-1] ** -0.5
    if mask is not None:
        s = s.masked_fill(mask ^ True, torch.finfo(s.dtype).min)
        w = s.softmax(-1).masked_fill(mask ^ True, 0)
        return w @ v, w
    w = s.softmax(-1)
    return w @ v, w


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError(f"{d_model} does not stride into {num_heads} heads")
        self.h = num_heads
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x):
        q, k, v = (split(w(x), self.h) for w in (self.W_q, self.W_k, self.W_v))
        return self.W_o(concat(attend(q, k, v)[0]))
