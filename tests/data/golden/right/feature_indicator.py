"""A head is chosen by multiplying with an indicator of its features, never by slicing."""
import torch
import torch.nn as nn


def indicators(width, num_heads, like):
    d_k = width // num_heads
    feature = torch.arange(width, device=like.device) // d_k
    return (feature[None, :] == torch.arange(num_heads, device=like.device)[:, None]).to(like.dtype)  # (h, width)


def attend(q, k, v, mask=None):
    B, h, Tq, d = q.shape
    heads, weights = 0, 0
    for one in torch.eye(h, dtype=q.dtype, device=q.device):
        sel = one.view(1, h, 1, 1)
        s = (q * sel) @ k.transpose(2, 3) / d ** 0.5
        if mask is None:
            w = torch.softmax(s, -1)
        else:
            w = torch.softmax(s.masked_fill(~mask, torch.finfo(s.dtype).min), -1) * mask
        weights = weights + w * sel
        heads = heads + (w @ v) * sel
    return heads, weights


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("d_model % num_heads")
        self.num_heads = num_heads
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, query, key, value, mask=None):
        q, k, v = self.W_q(query), self.W_k(key), self.W_v(value)
        d_k = q.shape[-1] // self.num_heads
        mixed = torch.zeros_like(q)
        for e in indicators(q.shape[-1], self.num_heads, q):
            s = (q * e) @ k.transpose(1, 2) / d_k ** 0.5
            if mask is not None:
                s = s.masked_fill(~mask, torch.finfo(s.dtype).min)
            w = s.softmax(-1)
            if mask is not None:
                w = w * mask
            mixed = mixed + w @ (v * e)
        return self.W_o(mixed)


def self_attention(mha, x):
    return mha(x, x, x)


def cross_attention(mha, target, memory):
    return mha(target, memory, memory)
