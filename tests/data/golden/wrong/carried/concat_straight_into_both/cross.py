"""Two sequences, from the steps before."""

import torch
from torch import nn

from attend import attend
from concat import concat
from output import output
from project import project


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model must be divisible by num_heads")
        self.num_heads = num_heads
        for name in ("W_q", "W_k", "W_v", "W_o"):
            self.register_parameter(name, nn.Parameter(torch.randn(d_model, d_model) * d_model**-0.5))

    def forward(self, query, key, value, mask=None):
        if mask is not None and mask.dim() == 3:
            mask = mask.unsqueeze(1)
        q = project(query, self.W_q, self.num_heads)
        k = project(key, self.W_k, self.num_heads)
        v = project(value, self.W_v, self.num_heads)
        heads, _ = attend(q, k, v, mask)
        return output(concat(heads), self.W_o)


def self_attention(mha, x):
    return mha(x, x, x)


def cross_attention(mha, target, memory):
    return mha(target, memory, memory)
