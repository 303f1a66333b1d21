"""One attention module, wired for self-attention or for cross-attention."""

from __future__ import annotations

from attend import attend
from concat import concat
from output import output
from project import project
from torch import Tensor, nn


class MultiHeadAttention(nn.Module):
    """Multi-head attention of queries over keys and values, without bias or dropout."""

    def __init__(self, d_model: int, num_heads: int) -> None:
        super().__init__()
        if num_heads < 1 or d_model % num_heads:
            raise ValueError(f"d_model = {d_model} cannot be shared by {num_heads} heads")
        self.num_heads = num_heads
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
        """(B, Tq, d_model), twice (B, Tk, d_model), mask (B, Tq, Tk) or (Tq, Tk) -> (B, Tq, d_model)."""
        q = project(query, self.W_q.weight.T, self.num_heads)
        k = project(key, self.W_k.weight.T, self.num_heads)
        v = project(value, self.W_v.weight.T, self.num_heads)
        if mask is not None and mask.dim() == 3:
            mask = mask.unsqueeze(1)  # one mask for all heads of a sample
        heads, _ = attend(q, k, v, mask)
        return output(concat(heads), self.W_o.weight.T)


def self_attention(mha: MultiHeadAttention, x: Tensor) -> Tensor:
    """Every token of x attends to x: (B, T, d_model) -> (B, T, d_model)."""
    return mha(x, x, x)


def cross_attention(mha: MultiHeadAttention, target: Tensor, memory: Tensor) -> Tensor:
    """Every target token attends to the memory: (B, Tq, d_model), (B, Tk, d_model) -> (B, Tq, d_model)."""
    return mha(target, memory, memory)
