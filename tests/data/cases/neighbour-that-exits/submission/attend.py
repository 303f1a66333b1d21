"""Scaled dot-product attention, each head on its own."""

from __future__ import annotations

import math

from torch import Tensor


def attend(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """The heads (B, h, Tq, d_v) and their weights (B, h, Tq, Tk); `mask` is True where a query may look."""
    scores = (q / math.sqrt(q.shape[-1])) @ k.transpose(-2, -1)
    if mask is None:
        weights = scores.softmax(-1)
    else:
        # A row with nothing to attend to is left whole, so that neither its softmax nor its gradient is NaN,
        # and is emptied afterwards.
        empty = ~mask.any(-1, keepdim=True)
        weights = scores.masked_fill(~(mask | empty), -math.inf).softmax(-1).masked_fill(empty, 0.0)
    return weights @ v, weights
