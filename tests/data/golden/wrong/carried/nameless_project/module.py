"""Everything from the steps before."""

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

    def forward(self, x):
        q, k, v = (project(x, w, self.num_heads) for w in (self.W_q, self.W_k, self.W_v))
        heads, _ = attend(q, k, v)
        return output(concat(heads), self.W_o)
