"""Project the residual stream, and split the result into heads."""

from __future__ import annotations

from torch import Tensor


def project(x: Tensor, w: Tensor, num_heads: int) -> Tensor:
    """Queries, keys or values of every head: x (B, T, d_model), w (d_model, h·d_k) -> (B, h, T, d_k)."""
    width = w.shape[-1]
    if num_heads < 1 or width % num_heads:
        raise ValueError(f"{width} columns cannot be shared by {num_heads} heads")
    split = (x @ w).unflatten(-1, (num_heads, width // num_heads))  # (B, T, h, d_k)
    return split.transpose(1, 2)
