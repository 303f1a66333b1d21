"""Join the heads."""

from __future__ import annotations

from torch import Tensor


def concat(heads: Tensor) -> Tensor:
    """The heads side by side, head 0 first: (B, h, T, d_v) -> (B, T, h·d_v)."""
    return heads.transpose(1, 2).flatten(-2)
