import math
import torch
import torch.nn as nn
import torch.nn.functional as F


def project(x, w, num_heads):
    cols = w.shape[1]
    if cols % num_heads != 0:
        raise ValueError("cannot split " + str(cols) + " columns over " + str(num_heads) + " heads")
    size = cols // num_heads
    heads = []
    for i in range(num_heads):
        heads.append(x @ w[:, i * size:(i + 1) * size])
    return torch.stack(heads, dim=1)


def one_head(q, k, v, mask=None):
    scores = torch.matmul(q, k.transpose(1, 2)) / math.sqrt(q.shape[-1])
    if mask is not None:
        nothing = (mask == False).all(dim=-1, keepdim=True)  # noqa: E712
        scores = scores.masked_fill((mask == False) & ~nothing, float("-inf"))  # noqa: E712
        weights = F.softmax(scores, dim=-1)
        weights = weights.masked_fill(nothing, 0)
    else:
        weights = F.softmax(scores, dim=-1)
    return torch.matmul(weights, v), weights


def attend(q, k, v, mask=None):
    B, h, Tq, _ = q.shape
    Tk = k.shape[2]
    if mask is not None:
        mask = mask.expand(B, h, Tq, Tk)
    all_heads, all_weights = [], []
    for i in range(h):
        o, w = one_head(q[:, i], k[:, i], v[:, i], None if mask is None else mask[:, i])
        all_heads.append(o)
        all_weights.append(w)
    return torch.stack(all_heads, 1), torch.stack(all_weights, 1)


def concat(heads):
    return torch.cat([heads[:, i] for i in range(heads.shape[1])], dim=-1)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model % num_heads must be 0")
        self.num_heads = num_heads
        self.d_k = d_model // num_heads
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x):
        Q, K, V = self.W_q(x), self.W_k(x), self.W_v(x)
        outs = []
        for i in range(self.num_heads):
            a, b = i * self.d_k, (i + 1) * self.d_k
            out, _ = one_head(Q[..., a:b], K[..., a:b], V[..., a:b])
            outs.append(out)
        return self.W_o(torch.cat(outs, dim=-1))


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model % num_heads must be 0")
        self.num_heads = num_heads
        self.d_k = d_model // num_heads
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, query, key, value, mask=None):
        Q, K, V = self.W_q(query), self.W_k(key), self.W_v(value)
        outs = []
        for i in range(self.num_heads):
            block = slice(i * self.d_k, (i + 1) * self.d_k)
            outs.append(one_head(Q[:, :, block], K[:, :, block], V[:, :, block], mask)[0])
        return self.W_o(torch.cat(outs, dim=-1))


def self_attention(mha, x):
    return mha(x, x, x)


def cross_attention(mha, target, memory):
    return mha(target, memory, memory)
