"""`attend` as a row of stages; their wrong ones stand in wrong_scores, wrong_masks and wrong_weights."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor


class Sizes(NamedTuple):
    """The lengths of all axes, by name."""

    b: int
    h: int
    tq: int
    tk: int
    d_k: int
    d_v: int


def as_is(tensor: Tensor) -> Tensor:
    """Right: hands the tensor on."""
    return tensor


def in_order(q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Right: scores of q and k, average of v."""
    return q, k, v


def root_dk(n: Sizes) -> float:
    """Right: scores are divided by √d_k."""
    return n.d_k**0.5


def q_kt(q: Tensor, k: Tensor) -> Tensor:
    """Right: (B, h, Tq, d_k) times (B, h, d_k, Tk)."""
    return q @ k.transpose(-2, -1)


def broadcast(mask: Tensor, _n: Sizes) -> Tensor:
    """Right: the mask's axes are aligned from the last one backwards."""
    return mask


def nothing_more(mask: Tensor | None, _scores: Tensor) -> Tensor | None:
    """Right: what may be attended to is the mask's business alone."""
    return mask


def lowest(scores: Tensor, keep: Tensor) -> Tensor:
    """Right: hidden scores become the lowest number of their dtype."""
    return scores.masked_fill(~keep, torch.finfo(scores.dtype).min)


def over_keys(scores: Tensor) -> Tensor:
    """Right: each query's weights sum to 1."""
    return scores.softmax(-1)


def empty_rows(weights: Tensor, keep: Tensor) -> Tensor:
    """Right: a query with nothing to attend to has no weights."""
    return weights.masked_fill(~keep.any(-1, keepdim=True), 0.0)


def untouched(weights: Tensor, _n: Sizes) -> Tensor:
    """Right: softmax's result is the weights."""
    return weights


def weighted_sum(weights: Tensor, v: Tensor, _n: Sizes) -> Tensor:
    """Right: (B, h, Tq, Tk) times (B, h, Tk, d_v)."""
    return weights @ v


def heads_and_weights(heads: Tensor, weights: Tensor, *_scores: Tensor) -> tuple[Tensor, Tensor]:
    """Right: heads first. The scores are at hand before and after hiding."""
    return heads, weights


def build(
    *,
    read_q: Callable[[Tensor], Tensor] = as_is,
    read_k: Callable[[Tensor], Tensor] = as_is,
    read_v: Callable[[Tensor], Tensor] = as_is,
    operands: Callable[..., tuple[Tensor, Tensor, Tensor]] = in_order,
    swap: Callable[[Tensor], Tensor] = as_is,
    divisor: Callable[[Sizes], float | Tensor] = root_dk,
    product: Callable[[Tensor, Tensor], Tensor] = q_kt,
    read_mask: Callable[[Tensor], Tensor] = as_is,
    spread: Callable[[Tensor, Sizes], Tensor] = broadcast,
    restrict: Callable[..., Tensor | None] = nothing_more,
    hide: Callable[[Tensor, Tensor], Tensor] = lowest,
    normalise: Callable[[Tensor], Tensor] = over_keys,
    clear: Callable[[Tensor, Tensor], Tensor] = empty_rows,
    adjust: Callable[[Tensor, Sizes], Tensor] = untouched,
    average: Callable[[Tensor, Tensor, Sizes], Tensor] = weighted_sum,
    finish: Callable[..., object] = heads_and_weights,
    takes_mask: bool = True,
) -> dict[str, object]:
    """The function `attend` with some stages replaced."""

    def attend(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> object:
        """Heads (B, h, Tq, d_v) and weights of q (B, h, Tq, d_k), k (B, h, Tk, d_k), v (B, h, Tk, d_v)."""
        n = Sizes(q.shape[0], q.shape[1], q.shape[-2], k.shape[-2], q.shape[-1], v.shape[-1])
        q, k, v = (swap(tensor) for tensor in operands(read_q(q), read_k(k), read_v(v)))
        scores = product(q / divisor(n), k)
        keep = restrict(None if mask is None else spread(read_mask(mask), n), scores)
        hidden = scores if keep is None else hide(scores, keep)
        weights = normalise(hidden) if keep is None else clear(normalise(hidden), keep)
        weights = adjust(weights, n)
        return finish(swap(average(weights, v, n)), weights, scores, hidden)

    def attend_without_mask(q: Tensor, k: Tensor, v: Tensor) -> object:
        return attend(q, k, v)

    attend_without_mask.__name__ = attend_without_mask.__qualname__ = attend.__qualname__ = "attend"
    return {"attend": attend if takes_mask else attend_without_mask}
