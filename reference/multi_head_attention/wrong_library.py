"""`library` as a row of stages, and what people put in their place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

Three = tuple[Tensor, Tensor, Tensor]


def in_order(w_q: Tensor, w_k: Tensor, w_v: Tensor) -> Three:
    """Right: first Q, then K, then V."""
    return w_q, w_k, w_v


def unscaled(w_q: Tensor, _h: int) -> Tensor:
    """Right: the library divides by √d_k itself."""
    return w_q


def rows(first: Tensor, second: Tensor, third: Tensor) -> Tensor:
    """Right: each weight as (out, in), one below the other."""
    return torch.cat((first.T, second.T, third.T))


def as_rows(w_o: Tensor) -> Tensor:
    """Right: W_O as (out, in)."""
    return w_o.T


def for_each_head(mask: Tensor, h: int) -> Tensor:
    """Right: sample 0 h times, then sample 1 h times: (B, Tq, Tk) to (B·h, Tq, Tk)."""
    return mask.repeat_interleave(h, dim=0)


def hidden(mask: Tensor) -> Tensor:
    """Right: True = may NOT be attended to."""
    return ~mask


def build(
    *,
    order: Callable[[Tensor, Tensor, Tensor], Three] = in_order,
    stack: Callable[[Tensor, Tensor, Tensor], Tensor] = rows,
    scale: Callable[[Tensor, int], Tensor] = unscaled,
    turn: Callable[[Tensor], Tensor | None] = as_rows,
    batch_first: bool = True,
    bias: bool = False,
    one_head: bool = False,
    train: bool = False,
    dropout: float = 0.0,
    repeat: Callable[[Tensor, int], Tensor] = for_each_head,
    polarity: Callable[[Tensor], Tensor] = hidden,
) -> dict[str, object]:
    """The functions `to_library` and `library_mask` with some stages replaced."""

    def to_library(w_q: Tensor, w_k: Tensor, w_v: Tensor, w_o: Tensor, num_heads: int) -> nn.Module:
        """Weights (d_model, d_model) in formula orientation -> the library's module."""
        h = 1 if one_head else num_heads
        how = {"bias": bias, "batch_first": batch_first, "dropout": dropout, "dtype": w_q.dtype}
        mha = nn.MultiheadAttention(w_q.shape[0], h, **how)
        turned = turn(w_o)
        with torch.no_grad():
            mha.in_proj_weight.copy_(stack(*order(scale(w_q, num_heads), w_k, w_v)))
            if turned is not None:
                mha.out_proj.weight.copy_(turned)
        return mha.train(train)

    def library_mask(mask: Tensor, num_heads: int) -> Tensor:
        """(B, Tq, Tk), True = may be attended to -> an attn_mask of the library."""
        return polarity(repeat(mask, num_heads))

    return {"to_library": to_library, "library_mask": library_mask}


# The weights


def picked(*places: int) -> Callable[..., Three]:
    """The three weights in another order."""

    def order(*weights: Tensor) -> Three:
        first, second, third = (weights[place] for place in places)
        return first, second, third

    return order


def formula_rows(first: Tensor, second: Tensor, third: Tensor) -> Tensor:
    """Weights as (in, out), one below the other; square ones fit by their shape."""
    return torch.cat((first, second, third))


def formula_columns(first: Tensor, second: Tensor, third: Tensor) -> Tensor:
    """Weights as (in, out), side by side: (d_model, 3·d_model)."""
    return torch.cat((first, second, third), dim=1)


def scaled_already(w_q: Tensor, h: int) -> Tensor:
    """W_Q is divided by √d_k, and the library divides once more."""
    return w_q / (w_q.shape[1] / h) ** 0.5


def not_turned(w_o: Tensor) -> Tensor:
    """W_O as (in, out); a square one fits by its shape."""
    return w_o


def twice(w_o: Tensor) -> Tensor:
    """W_O is applied to what the library's own W_O has made."""
    return (w_o @ w_o).T


def left_out(_w_o: Tensor) -> None:
    """out_proj keeps its random weights."""


# The mask


def tiled(mask: Tensor, h: int) -> Tensor:
    """All samples, then all samples again: head by head."""
    return mask.repeat(h, 1, 1)


def not_repeated(mask: Tensor, _h: int) -> Tensor:
    """One mask for each sample, where the library wants one for each head of each sample."""
    return mask


def four_axes(mask: Tensor, h: int) -> Tensor:
    """(B, h, Tq, Tk)."""
    return mask.unsqueeze(1).expand(-1, h, -1, -1)


def kept(mask: Tensor) -> Tensor:
    """True = may be attended to, which the library reads as hidden."""
    return mask


def zero_and_one(mask: Tensor) -> Tensor:
    """A float mask is added to the scores: 0 or 1 hides nothing."""
    return mask.float()


def weak_fill(mask: Tensor) -> Tensor:
    """A moderate number is added to hidden scores."""
    return (~mask).float() * -1e4


def times_inf(mask: Tensor) -> Tensor:
    """0 times -inf is NaN, where nothing should be added."""
    return (~mask).float() * float("-inf")


MISTAKES: dict[str, dict[str, Any]] = {
    "library-order-kqv": {"order": picked(1, 0, 2)},
    "library-order-qvk": {"order": picked(0, 2, 1)},
    "library-order-vkq": {"order": picked(2, 1, 0)},
    "library-order-kvq": {"order": picked(1, 2, 0)},
    "library-order-vqk": {"order": picked(2, 0, 1)},
    "library-scaled-already": {"scale": scaled_already},
    "weight-orientation-library": {"stack": formula_rows, "turn": not_turned},
    "weight-orientation-library-in": {"stack": formula_rows},
    "weight-orientation-library-out": {"turn": not_turned},
    "weight-orientation-library-columns": {"stack": formula_columns},
    "wo-twice-library": {"turn": twice},
    "library-wo-not-copied": {"turn": left_out},
    "mha-batch-first": {"batch_first": False},
    "bias-mismatch-library": {"bias": True},
    "library-one-head": {"one_head": True},
    "library-not-eval": {"train": True},
    "library-dropout-in-train": {"train": True, "dropout": 0.1},
    "mask-polarity-library": {"polarity": kept},
    "mask-added-raw-library": {"polarity": zero_and_one},
    "mask-fill-weak-library": {"polarity": weak_fill},
    "zero-times-inf-library": {"polarity": times_inf},
    "mask-tiled-order-library": {"repeat": tiled},
    "library-mask-not-repeated": {"repeat": not_repeated},
    "library-mask-four-axes": {"repeat": four_axes},
}
