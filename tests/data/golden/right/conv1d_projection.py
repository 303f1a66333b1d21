import torch
from torch import nn
from torch.nn import functional as F


class QKVAttention:
    """channels first, after a diffusion U-Net: q (B, h, d, T)"""

    def __init__(self, n_heads):
        self.n_heads = n_heads

    def __call__(self, q, k, v, mask=None):
        scale = q.shape[2] ** -0.25
        weight = torch.einsum("bhct,bhcs->bhts", q * scale, k * scale)
        if mask is not None:
            weight = weight.masked_fill(~mask, torch.finfo(weight.dtype).min)
        weight = torch.softmax(weight, dim=-1)
        if mask is not None:
            weight = weight.masked_fill(~mask, 0.0)
        return torch.einsum("bhts,bhcs->bhct", weight, v), weight


def attend(q, k, v, mask=None):
    out, weight = QKVAttention(q.shape[1])(q.mT, k.mT, v.mT, mask)
    return out.mT, weight


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError(f"q,k,v channels {d_model} is not divisible by num_heads {num_heads}")
        self.num_heads = num_heads
        self.W_qkv = nn.Linear(d_model, 3 * d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)
        self.attention = QKVAttention(num_heads)

    @staticmethod
    def conv(x, weight):
        return F.conv1d(x, weight.unsqueeze(-1))

    def forward(self, query, key=None, value=None, mask=None):
        key = query if key is None else key
        value = key if value is None else value
        w = self.W_qkv.weight.chunk(3, dim=0)
        q, k, v = (
            self.conv(t.transpose(1, 2), wt).unflatten(1, (self.num_heads, -1))
            for t, wt in zip((query, key, value), w)
        )
        h, _ = self.attention(q, k, v, mask if mask is None else mask.unsqueeze(-3))
        return self.conv(h.flatten(1, 2), self.W_o.weight).transpose(1, 2)


def self_attention(mha, x):
    return mha(x, x, x)


def cross_attention(mha, target, memory):
    return mha(target, memory, memory)
