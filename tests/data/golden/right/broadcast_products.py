import torch
import torch.nn as nn


def dot(a, b):
    """pairwise dot products without matmul: (.., Tq, d), (.., Tk, d) -> (.., Tq, Tk)"""
    return (a.unsqueeze(-2) * b.unsqueeze(-3)).sum(dim=-1)


def project(x, w, num_heads):
    if w.shape[1] % num_heads != 0:
        raise ValueError(f"{w.shape[1]} not divisible by {num_heads}")
    y = (x[..., None] * w).sum(-2)
    return y.reshape(*x.shape[:2], num_heads, -1).permute(0, 2, 1, 3)


def attend(q, k, v, mask=None):
    scores = dot(q, k) / q.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = scores.softmax(dim=-1)
    if mask is not None:
        weights = weights * mask
    heads = (weights.unsqueeze(-1) * v.unsqueeze(-3)).sum(dim=-2)
    return heads, weights


def output(concatenated, w_o):
    if concatenated.shape[-1] != w_o.shape[0]:
        raise ValueError(f"{concatenated.shape[-1]} != {w_o.shape[0]}")
    return torch.mul(concatenated.unsqueeze(-1), w_o).sum(dim=-2)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError(f"{d_model} not divisible by {num_heads}")
        self.num_heads = num_heads
        self.W_q = nn.Parameter(torch.randn(d_model, d_model) / d_model ** 0.5)
        self.W_k = nn.Parameter(torch.randn(d_model, d_model) / d_model ** 0.5)
        self.W_v = nn.Parameter(torch.randn(d_model, d_model) / d_model ** 0.5)
        self.W_o = nn.Parameter(torch.randn(d_model, d_model) / d_model ** 0.5)

    def forward(self, x):
        q, k, v = (project(x, w, self.num_heads) for w in (self.W_q, self.W_k, self.W_v))
        heads = attend(q, k, v)[0]
        return output(heads.permute(0, 2, 1, 3).reshape(x.shape), self.W_o)
