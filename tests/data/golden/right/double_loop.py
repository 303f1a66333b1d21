# I understand matrices better when they are 2-D, so: one sample, one head at a time.
import math
import torch
import torch.nn as nn


def attend_2d(q, k, v, mask=None):
    # q (Tq, d_k), k (Tk, d_k), v (Tk, d_v), mask (Tq, Tk)
    scores = torch.mm(q, k.t()) / math.sqrt(k.size(1))
    if mask is not None:
        lonely = mask.sum(dim=1, keepdim=True) == 0
        scores = scores.masked_fill(~mask & ~lonely, -math.inf)
        weights = torch.softmax(scores, 1).masked_fill(lonely, 0.0)
    else:
        weights = torch.softmax(scores, 1)
    return torch.mm(weights, v), weights


def attend(q, k, v, mask=None):
    B, h = q.size(0), q.size(1)
    if mask is not None:
        mask = mask.expand(B, h, q.size(2), k.size(2))
    H, W = [], []
    for b in range(B):
        hs, ws = [], []
        for i in range(h):
            m = mask[b, i] if mask is not None else None
            head, weight = attend_2d(q[b, i], k[b, i], v[b, i], m)
            hs.append(head)
            ws.append(weight)
        H.append(torch.stack(hs))
        W.append(torch.stack(ws))
    return torch.stack(H), torch.stack(W)


def concat(heads):
    return torch.stack([torch.hstack(list(sample)) for sample in heads])


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("bad number of heads")
        self.num_heads = num_heads
        self.W_qkv = nn.Parameter(torch.randn(d_model, 3 * d_model) * d_model ** -0.5)
        self.W_o = nn.Parameter(torch.randn(d_model, d_model) * d_model ** -0.5)

    def forward(self, query, key=None, value=None, mask=None):
        if key is None:
            key = query
        if value is None:
            value = key
        d = self.W_o.size(0)
        d_k = d // self.num_heads
        W_q, W_k, W_v = self.W_qkv[:, :d], self.W_qkv[:, d:2 * d], self.W_qkv[:, 2 * d:]
        samples = []
        for b in range(query.size(0)):
            m = None
            if mask is not None:
                m = mask if mask.dim() == 2 else mask[b]
            heads = []
            for i in range(self.num_heads):
                c = slice(i * d_k, (i + 1) * d_k)
                head, _ = attend_2d(query[b] @ W_q[:, c], key[b] @ W_k[:, c], value[b] @ W_v[:, c], m)
                heads.append(head)
            samples.append(torch.cat(heads, 1) @ self.W_o)
        return torch.stack(samples)


def self_attention(mha, x):
    return mha(x)


def cross_attention(mha, target, memory):
    return mha(target, memory)
