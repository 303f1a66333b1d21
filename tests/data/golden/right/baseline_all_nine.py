"""Homework 10.1, everything in one file."""
import math

import matplotlib.pyplot as plt
import torch
from torch import nn


def project(x, w, num_heads):
    B, T, d_model = x.shape
    if w.shape[1] % num_heads != 0:
        raise ValueError(f"{w.shape[1]} columns cannot be shared by {num_heads} heads")
    d_k = w.shape[1] // num_heads
    return (x @ w).view(B, T, num_heads, d_k).transpose(1, 2)


def attend(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = scores.softmax(dim=-1)
    if mask is not None:
        # a query that may look at nothing
        weights = weights.masked_fill(~mask, 0.0)
    return weights @ v, weights


def concat(heads):
    B, h, T, d_v = heads.shape
    return heads.transpose(1, 2).reshape(B, T, h * d_v)


def output(concatenated, w_o):
    if concatenated.shape[-1] != w_o.shape[0]:
        raise ValueError(f"width {concatenated.shape[-1]} does not fit W_O with {w_o.shape[0]} rows")
    return concatenated @ w_o


class MultiHeadAttention(nn.Module):
    """self-attention"""

    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model must be divisible by num_heads")
        self.num_heads = num_heads
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x):
        q = project(x, self.W_q.weight.T, self.num_heads)
        k = project(x, self.W_k.weight.T, self.num_heads)
        v = project(x, self.W_v.weight.T, self.num_heads)
        heads, _ = attend(q, k, v)
        return output(concat(heads), self.W_o.weight.T)


class MultiHeadAttention(nn.Module):  # noqa: F811
    """cross-attention"""

    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model must be divisible by num_heads")
        self.num_heads = num_heads
        self.d_k = d_model // num_heads
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def split_heads(self, t):
        B, T, _ = t.shape
        return t.view(B, T, self.num_heads, self.d_k).transpose(1, 2)

    def forward(self, query, key, value, mask=None):
        q = self.split_heads(self.W_q(query))
        k = self.split_heads(self.W_k(key))
        v = self.split_heads(self.W_v(value))
        if mask is not None and mask.dim() == 3:
            mask = mask.unsqueeze(1)
        heads, _ = attend(q, k, v, mask)
        return self.W_o(concat(heads))


def self_attention(mha, x):
    return mha(x, x, x)


def cross_attention(mha, target, memory):
    return mha(target, memory, memory)


def to_library(w_q, w_k, w_v, w_o, num_heads):
    d_model = w_q.shape[0]
    mha = nn.MultiheadAttention(d_model, num_heads, bias=False, batch_first=True)
    with torch.no_grad():
        mha.in_proj_weight.copy_(torch.cat([w_q.T, w_k.T, w_v.T], dim=0))
        mha.out_proj.weight.copy_(w_o.T)
    return mha.eval()


def library_mask(mask, num_heads):
    return ~mask.repeat_interleave(num_heads, dim=0)


def parameter_count(d_model, num_heads):
    if d_model % num_heads != 0:
        raise ValueError("d_model must be divisible by num_heads")
    return 4 * d_model * d_model


def flop_count(batch, tokens, d_model, num_heads):
    if d_model % num_heads != 0:
        raise ValueError("d_model must be divisible by num_heads")
    return 8 * batch * tokens * d_model**2 + 4 * batch * tokens**2 * d_model


def plot_heads(weights, tokens, heads=(0, 1)):
    fig, axes = plt.subplots(1, len(heads), figsize=(4 * len(heads), 4), squeeze=False)
    for ax, head in zip(axes[0], heads):
        ax.imshow(weights[head].detach().float().cpu().numpy(), cmap="viridis", vmin=0, vmax=1)
        ax.set_xticks(range(len(tokens)), tokens, rotation=90)
        ax.set_yticks(range(len(tokens)), tokens)
        ax.set_title(f"Head {head}")
    return fig
