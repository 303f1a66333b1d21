"""Multi-head self-attention as a module."""

from __future__ import annotations

from attend import attend
from concat import concat
from output import output
from project import project
from torch import Tensor, nn


class MultiHeadAttention(nn.Module):
    """Multi-head self-attention, without bias or dropout."""

    def __init__(self, d_model: int, num_heads: int) -> None:
        super().__init__()
        if num_heads < 1 or d_model % num_heads:
            raise ValueError(f"d_model = {d_model} cannot be shared by {num_heads} heads")
        self.num_heads = num_heads
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """Every token attends to all tokens: x (B, T, d_model) -> (B, T, d_model)."""
        q = project(x, self.W_q.weight.T, self.num_heads)
        k = project(x, self.W_k.weight.T, self.num_heads)
        v = project(x, self.W_v.weight.T, self.num_heads)
        heads, _ = attend(q, k, v)
        return output(concat(heads), self.W_o.weight.T)
