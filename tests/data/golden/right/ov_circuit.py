"""W_V and W_O of a head are one low-rank matrix from d_model to d_model: the OV circuit."""
import torch
from torch import nn


def attend(q, k, v, mask=None):
    pattern = torch.einsum("...qd,...kd->...qk", q, k) / q.shape[-1] ** 0.5
    if mask is not None:
        pattern = torch.where(mask, pattern, torch.finfo(pattern.dtype).min)
    pattern = pattern.softmax(-1)
    if mask is not None:
        pattern = pattern * mask
    return torch.einsum("...qk,...kd->...qd", pattern, v), pattern


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("n_heads must divide d_model")
        self.n_heads = num_heads
        self.W_q = nn.Parameter(torch.empty(d_model, d_model))
        self.W_k = nn.Parameter(torch.empty(d_model, d_model))
        self.W_v = nn.Parameter(torch.empty(d_model, d_model))
        self.W_o = nn.Parameter(torch.empty(d_model, d_model))
        for p in self.parameters():
            nn.init.xavier_uniform_(p)

    @property
    def OV(self):
        d = self.W_v.shape[0]
        return torch.einsum("dnh,nhm->ndm", self.W_v.view(d, self.n_heads, -1), self.W_o.view(self.n_heads, -1, d))

    def forward(self, query, key, value, mask=None):
        d = query.shape[-1]
        q = torch.einsum("bqd,dnh->bnqh", query, self.W_q.view(d, self.n_heads, -1))
        k = torch.einsum("bkd,dnh->bnkh", key, self.W_k.view(d, self.n_heads, -1))
        v = torch.einsum("bkd,ndm->bnkm", value, self.OV)
        mixed, _ = attend(q, k, v, mask if mask is None else mask.unsqueeze(-3))
        return mixed.sum(1)


def self_attention(mha, x):
    return mha(x, x, x)


def cross_attention(mha, target, memory):
    return mha(target, memory, memory)
