"""Scores of a head are x_q (W_Q W_K^T) x_k^T / sqrt(d_k): the QK circuit."""
import torch
from torch import nn


def softmax_of(scores, mask):
    if mask is None:
        return torch.softmax(scores, -1)
    return torch.softmax(scores.masked_fill(~mask, torch.finfo(scores.dtype).min), -1).masked_fill(~mask, 0)


def attend(q, k, v, mask=None):
    # right to left: (K^T Q^T)^T
    a = softmax_of((k @ q.mT).mT / q.shape[-1] ** 0.5, mask)
    return (v.mT @ a.mT).mT, a


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("n_heads must divide d_model")
        self.n_heads, self.d_head = num_heads, d_model // num_heads
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, query, key=None, value=None, mask=None):
        key = query if key is None else key
        value = query if value is None else value
        wq = self.W_q.weight.view(self.n_heads, self.d_head, -1)
        wk = self.W_k.weight.view(self.n_heads, self.d_head, -1)
        qk = torch.einsum("nhd,nhe->nde", wq, wk) / self.d_head ** 0.5
        scores = torch.einsum("bid,nde,bje->bnij", query, qk, key)
        a = softmax_of(scores, mask if mask is None else mask.unsqueeze(-3))
        v = self.W_v(value).view(value.shape[0], value.shape[1], self.n_heads, self.d_head)
        return self.W_o(torch.einsum("bnij,bjnh->binh", a, v).flatten(2))


def self_attention(mha, x):
    return mha(x, x, x)


def cross_attention(mha, target, memory):
    return mha(target, memory, memory)
