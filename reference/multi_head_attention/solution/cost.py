"""What multi-head attention costs, in parameters and in floating-point operations."""

from __future__ import annotations


def parameter_count(d_model: int, num_heads: int) -> int:
    """The weights of W_Q, W_K, W_V and W_O; the number of heads cancels out."""
    _head_width(d_model, num_heads)
    return 4 * d_model * d_model


def flop_count(batch: int, tokens: int, d_model: int, num_heads: int) -> int:
    """The operations of the matrix products of one self-attention forward, a multiply-add counted as 2."""
    d_k = _head_width(d_model, num_heads)
    projections = 4 * (2 * tokens * d_model * d_model)  # to q, k, v, and W_O
    per_head = 2 * (2 * tokens * tokens * d_k)  # scores, and weights times values
    return batch * (projections + num_heads * per_head)


def _head_width(d_model: int, num_heads: int) -> int:
    if num_heads < 1 or d_model % num_heads:
        raise ValueError(f"d_model = {d_model} cannot be shared by {num_heads} heads")
    return d_model // num_heads
