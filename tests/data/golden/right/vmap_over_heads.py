import torch
from torch import nn
from torch.func import vmap


def single(q, k, v, mask):
    """one head, one sample: (Tq, d_k), (Tk, d_k), (Tk, d_v), (Tq, Tk)"""
    s = q @ k.T / q.shape[-1] ** 0.5
    w = torch.softmax(torch.where(mask, s, torch.finfo(s.dtype).min), -1) * mask
    return w @ v, w


over_heads = vmap(single)
over_batch_and_heads = vmap(over_heads)


def attend(q, k, v, mask=None):
    full = (*q.shape[:3], k.shape[2])
    if mask is None:
        mask = torch.ones(full, dtype=torch.bool, device=q.device)
    return over_batch_and_heads(q, k, v, mask.expand(full))


def project(x, w, num_heads):
    if w.shape[1] % num_heads:
        raise ValueError(f"{num_heads} heads do not divide {w.shape[1]} columns")
    stacked = w.reshape(w.shape[0], num_heads, -1)
    return vmap(torch.matmul, in_dims=(None, 1), out_dims=1)(x, stacked)


class MultiHeadAttention(nn.Module):
    """vmap over heads with the heads' own weights stacked"""

    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"{num_heads} heads do not divide {d_model}")
        self.num_heads = num_heads
        self.W_q = nn.Parameter(torch.empty(d_model, d_model))
        self.W_k = nn.Parameter(torch.empty(d_model, d_model))
        self.W_v = nn.Parameter(torch.empty(d_model, d_model))
        self.W_o = nn.Parameter(torch.empty(d_model, d_model))
        for p in self.parameters():
            nn.init.xavier_uniform_(p)

    def forward(self, query, key, value, mask=None):
        d = query.shape[-1]
        if mask is None:
            mask = torch.ones(query.shape[1], key.shape[1], dtype=torch.bool, device=query.device)

        def head(wq, wk, wv, wo):
            q, k, v = query @ wq, key @ wk, value @ wv
            s = q @ k.mT / q.shape[-1] ** 0.5
            w = torch.softmax(torch.where(mask, s, torch.finfo(s.dtype).min), -1) * mask
            return w @ v @ wo

        cols = [w.reshape(d, self.num_heads, -1) for w in (self.W_q, self.W_k, self.W_v)]
        rows = self.W_o.reshape(self.num_heads, -1, d)
        return vmap(head, in_dims=(1, 1, 1, 0))(*cols, rows).sum(0)


def self_attention(mha, x):
    return mha(x, x, x)


def cross_attention(mha, target, memory):
    return mha(target, memory, memory)
