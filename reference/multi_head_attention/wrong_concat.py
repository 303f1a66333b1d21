"""`concat` as a row of stages, and what people put in their place."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor


def as_is(tensor: Tensor) -> Tensor:
    """Right: hands the tensor on."""
    return tensor


def joined(heads: Tensor) -> Tensor:
    """Right: (B, h, T, d_v) to (B, T, h, d_v) to (B, T, h·d_v)."""
    return heads.transpose(1, 2).flatten(2)


def build(
    *,
    read: Callable[[Tensor], Tensor] = as_is,
    join: Callable[[Tensor], Tensor] = joined,
    store: Callable[[Tensor], Tensor] = as_is,
) -> dict[str, object]:
    """The function `concat` with some stages replaced."""

    def concat(heads: Tensor) -> Tensor:
        """(B, h, T, d_v) -> (B, T, h·d_v)."""
        return store(join(read(heads)))

    return {"concat": concat}


# How are the heads joined?


def straight(heads: Tensor) -> Tensor:
    """(B, h, T, d_v) is only relabelled as (B, T, h·d_v)."""
    b, h, t, d_v = heads.shape
    return heads.reshape(b, t, h * d_v)


def viewed(heads: Tensor) -> Tensor:
    """After a transpose, memory is not in the order that a view needs."""
    b, h, t, d_v = heads.shape
    return heads.transpose(1, 2).view(b, t, h * d_v)


def features_first(heads: Tensor) -> Tensor:
    """(d_v, h): feature 0 of every head, then feature 1 of every head."""
    return heads.permute(0, 2, 3, 1).flatten(2)


def wrong_swap(heads: Tensor) -> Tensor:
    """Tokens and features change places, where heads and tokens should."""
    b, h, t, d_v = heads.shape
    return heads.transpose(2, 3).reshape(b, t, h * d_v)


def heads_then_batch(heads: Tensor) -> Tensor:
    """The merged axis lies sample by sample and is taken apart head by head."""
    merged = heads.reshape(-1, *heads.shape[2:])
    return torch.cat(merged.chunk(heads.shape[1]), dim=-1)


def mean(heads: Tensor) -> Tensor:
    """(B, T, d_v): the heads are averaged."""
    return heads.mean(1)


def total(heads: Tensor) -> Tensor:
    """(B, T, d_v): the heads are added up."""
    return heads.sum(1)


def first(heads: Tensor) -> Tensor:
    """(B, T, d_v): only head 0 is kept."""
    return heads[:, 0]


def along_tokens(heads: Tensor) -> Tensor:
    """(B, h·T, d_v)."""
    return torch.cat(heads.unbind(1), dim=1)


def along_batch(heads: Tensor) -> Tensor:
    """(h·B, T, d_v)."""
    return torch.cat(heads.unbind(1), dim=0)


def last_first(heads: Tensor) -> Tensor:
    """Head h - 1 comes first."""
    return joined(heads.flip(1))


def four_axes(heads: Tensor) -> Tensor:
    """(B, T, h, d_v): moved, not merged."""
    return heads.transpose(1, 2)


# What is read, what is handed back?


def cpu_copy(merged: Tensor) -> Tensor:
    """The result is written into a tensor that always lives on the CPU."""
    kept = torch.zeros(merged.shape, dtype=merged.dtype)
    kept[:] = merged
    return kept


def turned_in_place(heads: Tensor) -> Tensor:
    """`transpose_` turns the caller's tensor too."""
    return heads.transpose_(1, 2).transpose(1, 2)


MISTAKES: dict[str, dict[str, Callable[..., object]]] = {
    "concat-no-transpose": {"join": straight},
    "concat-view-error": {"join": viewed},
    "concat-dk-h": {"join": features_first},
    "concat-wrong-transpose": {"join": wrong_swap},
    "head-batch-order-concat": {"join": heads_then_batch},
    "heads-averaged": {"join": mean},
    "heads-summed": {"join": total},
    "heads-first-only": {"join": first},
    "cat-wrong-axis": {"join": along_tokens},
    "cat-wrong-axis-batch": {"join": along_batch},
    "heads-reversed": {"join": last_first},
    "heads-not-merged": {"join": four_axes},
    "squeeze-eats-axis": {"store": torch.squeeze},
    "graph-cut-concat": {"read": torch.detach},
    "dtype-literal-concat": {"read": Tensor.float},
    "dtype-literal-concat-double": {"read": Tensor.double},
    "cpu-constant-concat": {"store": cpu_copy},
    "inplace-on-input-concat": {"read": turned_in_place},
}
