"""Everything that hurts is done in float64 and cast back."""
import torch
from torch import nn


def attend(q, k, v, mask=None):
    dtype = q.dtype
    q, k, v = q.double(), k.double(), v.double()
    s = q @ k.mT / q.shape[-1] ** 0.5
    if mask is not None:
        s = s.masked_fill(~mask, -1e300)
    w = s.softmax(-1)
    if mask is not None:
        w = w * mask
    return (w @ v).to(dtype), w.to(dtype)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("d_model % num_heads != 0")
        self.num_heads = num_heads
        self.W_q = nn.Parameter(torch.empty(d_model, d_model))
        self.W_k = nn.Parameter(torch.empty(d_model, d_model))
        self.W_v = nn.Parameter(torch.empty(d_model, d_model))
        self.W_o = nn.Parameter(torch.empty(d_model, d_model))
        for p in self.parameters():
            nn.init.xavier_uniform_(p)

    def forward(self, query, key=None, value=None, mask=None):
        key = query if key is None else key
        value = query if value is None else value
        q, k, v = (
            (t.double() @ w.double()).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for t, w in ((query, self.W_q), (key, self.W_k), (value, self.W_v))
        )
        heads, _ = attend(q, k, v, mask if mask is None else mask.unsqueeze(-3))
        return (heads.transpose(1, 2).flatten(2) @ self.W_o.double()).to(query.dtype)


def self_attention(mha, x):
    return mha(x, x, x)


def cross_attention(mha, target, memory):
    return mha(target, memory, memory)
