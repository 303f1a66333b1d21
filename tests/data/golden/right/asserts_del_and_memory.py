import math
import time
import warnings

import torch
from torch import nn

print("loading my attention ...")
START = time.perf_counter()


def check(t, *shape):
    assert t.shape == torch.Size(shape), f"expected {shape}, got {tuple(t.shape)}"


def attend(q, k, v, mask=None):
    B, h, Tq, d_k = q.shape
    B2, h2, Tk, d_v = v.shape
    assert (B, h) == (B2, h2)
    check(k, B, h, Tk, d_k)
    scores = q @ k.transpose(-2, -1)
    scores = scores / math.sqrt(d_k)
    check(scores, B, h, Tq, Tk)
    if mask is not None:
        assert mask.dtype == torch.bool, "I expect True/False"
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = scores.softmax(dim=-1)
    del scores
    if mask is not None:
        weights = weights.masked_fill(~mask, 0.0)
    heads = weights @ v
    check(heads, B, h, Tq, d_v)
    return heads, weights


class MultiHeadAttention(nn.Module):
    """Keeps its last weights for a look (detached and cloned, so that copying the module still works)."""

    def __init__(self, d_model, num_heads):
        super().__init__()
        assert isinstance(d_model, int) and isinstance(num_heads, int)
        assert d_model % num_heads == 0, (d_model, num_heads)
        self.d_model, self.num_heads, self.d_k = d_model, num_heads, d_model // num_heads
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)
        self.last_weights = None
        self.calls = 0

    def forward(self, query, key=None, value=None, mask=None):
        key = query if key is None else key
        value = key if value is None else value
        B, Tq, D = query.shape
        assert D == self.d_model, f"last axis {D}, expected {self.d_model}"
        q = self.W_q(query).reshape(B, Tq, self.num_heads, self.d_k).transpose(1, 2)
        k = self.W_k(key).reshape(B, -1, self.num_heads, self.d_k).transpose(1, 2)
        v = self.W_v(value).reshape(B, -1, self.num_heads, self.d_k).transpose(1, 2)
        if mask is not None and mask.ndim == 3:
            assert mask.shape[0] == B
            mask = mask.unsqueeze(1)
        heads, weights = attend(q, k, v, mask)
        del q, k, v
        self.last_weights = weights.detach().clone()
        self.calls += 1
        return self.W_o(heads.transpose(1, 2).reshape(B, Tq, D))


def self_attention(mha, x):
    return mha(x, x, x)


def cross_attention(mha, target, memory):
    return mha(target, memory, memory)


warnings.warn("attention loaded", UserWarning, stacklevel=1)
print(f"done after {time.perf_counter() - START:.3f} s")
