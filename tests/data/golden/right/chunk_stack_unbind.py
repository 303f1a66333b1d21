import torch
from torch import nn
import torch.nn.functional as F


def project(x, w, num_heads):
    if w.shape[1] % num_heads != 0:
        raise ValueError(f"w has {w.shape[1]} columns, not divisible by {num_heads}")
    return torch.stack((x @ w).chunk(num_heads, dim=-1), dim=1)


def attend(q, k, v, mask=None):
    pairs = []
    B, h, Tq, Tk = q.shape[0], q.shape[1], q.shape[2], k.shape[2]
    masks = [None] * h if mask is None else mask.expand(B, h, Tq, Tk).unbind(1)
    for qi, ki, vi, mi in zip(q.unbind(1), k.unbind(1), v.unbind(1), masks):
        s = qi @ ki.transpose(1, 2) / ki.shape[-1] ** 0.5
        if mi is None:
            w = F.softmax(s, dim=-1)
        else:
            w = F.softmax(s.masked_fill(~mi, torch.finfo(s.dtype).min), dim=-1).masked_fill(~mi, 0)
        pairs.append((w @ vi, w))
    heads, weights = zip(*pairs)
    return torch.stack(heads, 1), torch.stack(weights, 1)


def concat(heads):
    return torch.cat(heads.unbind(dim=1), dim=-1)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("d_model must be divisible by num_heads")
        self.n = num_heads
        self.W_qkv = nn.Linear(d_model, 3 * d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x):
        q, k, v = (torch.stack(t.chunk(self.n, -1), 1) for t in self.W_qkv(x).chunk(3, -1))
        heads, _ = attend(q, k, v)
        return self.W_o(concat(heads))


class MultiHeadAttention(MultiHeadAttention):
    """Same weights, other inputs."""

    def forward(self, query, key, value, mask=None):
        wq, wk, wv = self.W_qkv.weight.chunk(3, dim=0)
        q = torch.stack(F.linear(query, wq).chunk(self.n, -1), 1)
        k = torch.stack(F.linear(key, wk).chunk(self.n, -1), 1)
        v = torch.stack(F.linear(value, wv).chunk(self.n, -1), 1)
        heads, _ = attend(q, k, v, mask if mask is None else mask.unsqueeze(-3))
        return self.W_o(concat(heads))


def self_attention(mha, x):
    return mha(x, x, x)


def cross_attention(mha, target, memory):
    return mha(target, memory, memory)
