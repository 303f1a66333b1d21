import math

import torch
from torch import nn
from torch.nn import functional as F


def project(x, w, num_heads):
    if w.shape[1] % num_heads:
        raise ValueError(f"{num_heads=} does not divide {w.shape[1]}")
    d_k = w.shape[1] // num_heads
    return torch.stack([x @ block for block in w.split(d_k, dim=1)], dim=1)


def attend(q, k, v, mask=None):
    d_k = q.shape[-1]
    logits = q.matmul(k.transpose(2, 3)).div(math.sqrt(d_k))
    if mask is not None:
        logits = logits.masked_fill(mask.logical_not(), torch.finfo(logits.dtype).min)
    weights = F.softmax(logits, -1)
    if mask is not None:
        weights = weights.mul(mask)
    return weights.matmul(v), weights


def concat(heads):
    parts = heads.split(1, dim=1)
    return torch.cat([p.squeeze(1) for p in parts], dim=2)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"{d_model=} {num_heads=}")
        self.d_model = d_model
        self.d_k = d_model // num_heads
        self.W_qkv = nn.Parameter(nn.init.xavier_uniform_(torch.empty(d_model, 3 * d_model)))
        self.W_o = nn.Parameter(nn.init.xavier_uniform_(torch.empty(d_model, d_model)))

    def forward(self, x):
        q, k, v = (x @ self.W_qkv).split(self.d_model, dim=-1)
        q, k, v = (torch.stack(t.split(self.d_k, -1), 1) for t in (q, k, v))
        return concat(attend(q, k, v)[0]) @ self.W_o


def parameter_count(d_model, num_heads):
    if d_model % num_heads:
        raise ValueError(f"{d_model=} {num_heads=}")
    with torch.device("meta"):                  # nothing is allocated, however wide
        module = MultiHeadAttention(d_model, num_heads)
    return sum(p.numel() for p in module.parameters())


def flop_count(batch, tokens, d_model, num_heads):
    if d_model % num_heads:
        raise ValueError(f"{d_model=} {num_heads=}")
    projections = 2 * batch * tokens * d_model * (3 * d_model)
    scores = 2 * batch * tokens * tokens * d_model
    values = 2 * batch * tokens * tokens * d_model
    out = 2 * batch * tokens * d_model * d_model
    return projections + scores + values + out
