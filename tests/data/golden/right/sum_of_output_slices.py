"""Concat then W_O is a sum over heads: sum_i head_i @ W_O[rows of head i]."""
import torch
from torch import nn


def attend(q, k, v, mask=None):
    s = (q / q.shape[-1] ** 0.5) @ k.mT
    if mask is None:
        w = torch.softmax(s, -1)
    else:
        ok = mask.any(-1, keepdim=True)
        w = torch.softmax(torch.where(mask | ~ok, s, -float("inf")), -1) * ok
    h = sum_over_keys(w, v)
    return h, w


def sum_over_keys(w, v):
    return w @ v


def output(concatenated, w_o):
    a, b = concatenated.shape[-1], w_o.shape[0]
    assert a == b, f"widths differ: {a} against {b}"
    # in slabs of rows, to show that the product is a sum
    half = (a + 1) // 2
    first = concatenated[..., :half] @ w_o[:half]
    return first + concatenated[..., half:] @ w_o[half:] if half < a else first


class MultiHeadAttention(nn.Module):
    """One class for both steps: key and value fall back to the query."""

    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("d_model must be a multiple of num_heads")
        self.num_heads = num_heads
        self.W_q = nn.Parameter(torch.empty(d_model, d_model))
        self.W_k = nn.Parameter(torch.empty(d_model, d_model))
        self.W_v = nn.Parameter(torch.empty(d_model, d_model))
        self.W_o = nn.Parameter(torch.empty(d_model, d_model))
        for p in self.parameters():
            nn.init.xavier_normal_(p)

    def forward(self, query, key=None, value=None, mask=None):
        key = query if key is None else key
        value = key if value is None else value
        if mask is not None and mask.dim() == 2:
            mask = mask[None]
        d_k = self.W_q.shape[1] // self.num_heads
        total = 0
        for i in range(self.num_heads):
            cols = slice(i * d_k, (i + 1) * d_k)
            q, k, v = query @ self.W_q[:, cols], key @ self.W_k[:, cols], value @ self.W_v[:, cols]
            head, _ = attend(q, k, v, mask)
            total = total + head @ self.W_o[cols]
        return total


def self_attention(mha, x):
    return mha(x, x, x)


def cross_attention(mha, target, memory):
    return mha(target, memory, memory)
