import functools
import time

import torch
import torch.nn as nn

TIMES = {}


def timed(fn):
    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        t = time.perf_counter()
        try:
            return fn(*args, **kwargs)
        finally:
            TIMES[fn.__name__] = TIMES.get(fn.__name__, 0.0) + time.perf_counter() - t
    return wrapper


def divides(get):
    """raise a ValueError unless the heads divide what get(...) says"""
    def decorate(fn):
        @functools.wraps(fn)
        def inner(*args, **kwargs):
            width, heads = get(*args, **kwargs)
            if width % heads != 0:
                raise ValueError(f"{heads} heads do not divide {width}")
            return fn(*args, **kwargs)
        return inner
    return decorate


@timed
@divides(lambda x, w, num_heads: (w.shape[1], num_heads))
def project(x, w, num_heads):
    return (x @ w).unflatten(2, (num_heads, -1)).permute(0, 2, 1, 3)


@timed
def attend(q, k, v, mask=None):
    s = q @ k.mT / q.shape[-1] ** 0.5
    if mask is not None:
        s = torch.where(mask, s, torch.finfo(s.dtype).min)
    w = s.softmax(-1)
    if mask is not None:
        w = torch.where(mask, w, torch.zeros_like(w))
    return w @ v, w


@timed
def concat(heads):
    return heads.permute(0, 2, 1, 3).flatten(2)


@functools.lru_cache(maxsize=None)
@divides(lambda d_model, num_heads: (d_model, num_heads))
def parameter_count(d_model, num_heads):
    return (3 + 1) * d_model * d_model


@divides(lambda batch, tokens, d_model, num_heads: (d_model, num_heads))
def flop_count(batch, tokens, d_model, num_heads):
    return batch * (2 * tokens * parameter_count(d_model, num_heads) + 4 * tokens * tokens * d_model)


class MultiHeadAttention(nn.Module):
    @divides(lambda self, d_model, num_heads: (d_model, num_heads))
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    @timed
    def forward(self, query, key, value, mask=None):
        q = project(query, self.W_q.weight.T, self.num_heads)
        k = project(key, self.W_k.weight.T, self.num_heads)
        v = project(value, self.W_v.weight.T, self.num_heads)
        return self.W_o(concat(attend(q, k, v, mask.unsqueeze(-3) if mask is not None else None)[0]))


@timed
def self_attention(mha, x):
    return mha(x, x, x)


@timed
def cross_attention(mha, target, memory):
    return mha(target, memory, memory)
