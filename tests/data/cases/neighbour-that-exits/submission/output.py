"""Mix the joined heads with W_O."""

from __future__ import annotations

from torch import Tensor


def output(concatenated: Tensor, w_o: Tensor) -> Tensor:
    """Back to the residual stream: (B, T, h·d_v), (h·d_v, d_model) -> (B, T, d_model)."""
    if concatenated.shape[-1] != w_o.shape[0]:
        raise ValueError(f"the heads are {concatenated.shape[-1]} wide together, W_O takes {w_o.shape[0]}")
    return concatenated @ w_o
