import numpy as np
import torch
from torch import nn


def attend(q, k, v, mask=None):
    scores = q @ k.transpose(-1, -2) / np.sqrt(q.shape[-1]).item()
    if mask is not None:
        scores = scores.clone()
        hidden = ~mask.expand(scores.shape)
        scores[hidden] = torch.finfo(scores.dtype).min
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.clone()
        weights[hidden] = 0.0
    return weights @ v, weights


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model and num_heads do not go together")
        self.num_heads = num_heads
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, query, key, value, mask=None):
        # advanced indexing: columns of head i are index[i]
        index = torch.arange(query.shape[-1], device=query.device).reshape(self.num_heads, -1)
        q = self.W_q(query)[:, :, index].transpose(1, 2)
        k = self.W_k(key)[:, :, index].transpose(1, 2)
        v = self.W_v(value)[:, :, index].transpose(1, 2)
        if mask is not None:
            mask = mask.reshape(-1, 1, query.shape[1], key.shape[1])
        heads, _ = attend(q, k, v, mask)
        together = torch.zeros_like(query)
        together[:, :, index] = heads.transpose(1, 2)
        return self.W_o(together)


def project(x, w, num_heads):
    if w.shape[1] % num_heads != 0:
        raise ValueError("num_heads does not divide the columns")
    index = np.arange(w.shape[1]).reshape(num_heads, -1)
    return (x @ w)[:, :, index].permute(0, 2, 1, 3)


def self_attention(mha, x):
    return mha(x, x, x)


def cross_attention(mha, target, memory):
    return mha(target, memory, memory)
