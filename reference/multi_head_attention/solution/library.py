"""The same attention, by PyTorch's own module."""

from __future__ import annotations

import torch
from torch import Tensor, nn


def to_library(w_q: Tensor, w_k: Tensor, w_v: Tensor, w_o: Tensor, num_heads: int) -> nn.MultiheadAttention:
    """A batch-first nn.MultiheadAttention in eval mode with these weights (d_model, d_model), (in, out)."""
    mha = nn.MultiheadAttention(
        w_q.shape[0], num_heads, bias=False, batch_first=True, device=w_q.device, dtype=w_q.dtype
    )
    with torch.no_grad():
        mha.in_proj_weight.copy_(torch.cat((w_q.T, w_k.T, w_v.T)))
        mha.out_proj.weight.copy_(w_o.T)
    return mha.eval()


def library_mask(mask: Tensor, num_heads: int) -> Tensor:
    """The library's mask, True where a query may NOT look: (B, Tq, Tk) -> (B·h, Tq, Tk)."""
    return ~mask.repeat_interleave(num_heads, dim=0)
