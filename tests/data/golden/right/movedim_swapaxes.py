# coming from numpy
import numpy as np
import torch
import torch.nn as nn


def project(x, w, num_heads):
    if w.shape[1] % num_heads != 0:
        raise ValueError("num_heads does not divide " + repr(w.shape[1]))
    B, T, _ = x.shape
    return torch.movedim((x @ w).reshape(B, T, num_heads, -1), 2, 1)


def attend(q, k, v, mask=None):
    s = torch.matmul(q, torch.swapaxes(k, -1, -2)) / float(np.sqrt(q.shape[-1]))
    if mask is None:
        mask = torch.ones((), dtype=torch.bool, device=q.device)
    full = torch.broadcast_to(mask, s.shape)
    anything = torch.any(full, dim=-1, keepdim=True)
    s = torch.where(full | ~anything, s, -np.inf)
    w = torch.softmax(s, dim=-1)
    w = torch.where(anything, w, 0.0)
    return torch.matmul(w, v), w


def concat(heads):
    moved = torch.movedim(heads, 1, 2)
    return torch.reshape(moved, (*moved.shape[:2], int(np.prod(moved.shape[2:]))))


def output(concatenated, w_o):
    if concatenated.shape[2] != w_o.shape[0]:
        raise ValueError("shapes {} and {} do not fit".format(tuple(concatenated.shape), tuple(w_o.shape)))
    return torch.inner(concatenated, torch.swapaxes(w_o, 0, 1))


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model, num_heads = %s, %s" % (d_model, num_heads))
        self.num_heads = num_heads
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, query, key=None, value=None, mask=None):
        key = query if key is None else key
        value = query if value is None else value
        q, k, v = [torch.swapaxes(lin(t).reshape(*t.shape[:2], self.num_heads, -1), 1, 2)
                   for lin, t in ((self.W_q, query), (self.W_k, key), (self.W_v, value))]
        if mask is not None:
            mask = torch.unsqueeze(mask, -3)
        heads, _ = attend(q, k, v, mask)
        return self.W_o(concat(heads))


def self_attention(mha, x):
    return mha(x, x, x)


def cross_attention(mha, target, memory):
    return mha(target, memory, memory)


def parameter_count(d_model, num_heads):
    if d_model % num_heads != 0:
        raise ValueError("d_model %d heads %d" % (d_model, num_heads))
    return int(np.prod([4, d_model, d_model], dtype=np.int64))


def flop_count(batch, tokens, d_model, num_heads):
    if d_model % num_heads != 0:
        raise ValueError("d_model %d heads %d" % (d_model, num_heads))
    d_k = d_model // num_heads
    products = np.array([
        [batch * tokens, d_model, 3 * d_model],
        [batch * num_heads * tokens, d_k, tokens],
        [batch * num_heads * tokens, tokens, d_k],
        [batch * tokens, d_model, d_model],
    ], dtype=object)
    return int(2 * products.prod(axis=1).sum())
