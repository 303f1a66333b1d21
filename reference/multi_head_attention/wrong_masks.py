"""Wrong stages of `attend` about the mask: how it is read, where it lands, what it does to the scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import torch
from torch import Tensor
from wrong_attend import Sizes

INF = float("inf")

# What does the mask say?


def inverted(mask: Tensor) -> Tensor:
    """True is read as hidden."""
    return ~mask


def inverted_in_place(mask: Tensor) -> Tensor:
    """The caller's mask is turned round and stays so."""
    mask.logical_not_()
    return ~mask


def one_minus(mask: Tensor) -> Tensor:
    """1 - mask is no arithmetic for booleans."""
    return (1 - mask) == 0


def integers(mask: Tensor) -> Tensor:
    """0 and 1: ~ turns them into -1 and -2, and masked_fill takes booleans alone."""
    return mask.int()


def by_truth(mask: Tensor) -> Tensor:
    """`if mask:` asks a whole tensor for one yes or no."""
    return mask or torch.ones_like(mask)


# Where does it land?


def on_queries(mask: Tensor, _n: Sizes) -> Tensor:
    """Keys' mask along the queries."""
    return mask.transpose(-2, -1)


def both_ways(mask: Tensor, _n: Sizes) -> Tensor:
    """Hidden keys are hidden as queries too."""
    return mask & mask.transpose(-2, -1)


def tiled(mask: Tensor, n: Sizes) -> Tensor:
    """Repeated head by head for scores that lie sample by sample."""
    return mask.expand(n.b, n.h, n.tq, n.tk).transpose(0, 1).reshape(n.b, n.h, n.tq, n.tk)


def first_head_only(mask: Tensor, n: Sizes) -> Tensor:
    """All heads but head 0 see everything."""
    later = torch.arange(n.h, device=mask.device).view(-1, 1, 1) > 0
    return mask | later


def first_samples(mask: Tensor, n: Sizes) -> Tensor:
    """Every sample gets the mask of sample 0."""
    return mask.expand(n.b, n.h, n.tq, n.tk)[:1]


def square(mask: Tensor, n: Sizes) -> Tensor:
    """(Tq, Tq), as if keys were as many as queries."""
    return mask.expand(n.b, n.h, n.tq, n.tq)


def rows_are_samples(mask: Tensor, _n: Sizes) -> Tensor:
    """A (Tq, Tk) mask is taken for (B, Tk)."""
    return mask[:, None, None, :] if mask.dim() == 2 else mask


# What else restricts?


def ignored(_mask: Tensor | None, _scores: Tensor) -> None:
    """The mask is never applied, or the masked scores are not kept."""


def causal(mask: Tensor | None, scores: Tensor) -> Tensor:
    """A triangle that nobody asked for."""
    triangle = torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device).tril()
    return triangle if mask is None else mask & triangle


def cpu_ones(mask: Tensor | None, scores: Tensor) -> Tensor:
    """A helper tensor that always lives on the CPU."""
    ones = torch.ones(scores.shape[-2:], dtype=torch.bool)
    return ones if mask is None else mask & ones


def cpu_fill(mask: Tensor | None, scores: Tensor) -> Tensor | None:
    """A helper tensor that always lives on the CPU, made when there is a mask."""
    return None if mask is None else cpu_ones(mask, scores)


def cpu_default(mask: Tensor | None, scores: Tensor) -> Tensor:
    """A mask of all True that always lives on the CPU, made when there is none."""
    return cpu_ones(None, scores) if mask is None else mask


def within_a_table(mask: Tensor | None, scores: Tensor) -> Tensor:
    """Cut out of a table that is large enough for all that was tried so far."""
    table = torch.ones(1024, 1024, dtype=torch.bool, device=scores.device)[
        : scores.shape[-2], : scores.shape[-1]
    ]
    return table if mask is None else mask & table


# What happens to a hidden score?


def nothing(scores: Tensor, _keep: Tensor) -> Tensor:
    """Scores keep their values; the mask comes after the softmax."""
    return scores


def zero(scores: Tensor, keep: Tensor) -> Tensor:
    """A score of 0 still has the weight exp(0) = 1."""
    return scores.masked_fill(~keep, 0.0)


def fixed_fill(depth: float) -> Callable[[Tensor, Tensor], Tensor]:
    """Low, but not out of reach of real scores."""

    def hide(scores: Tensor, keep: Tensor) -> Tensor:
        return scores.masked_fill(~keep, -depth)

    return hide


def minus_1e9(scores: Tensor, keep: Tensor) -> Tensor:
    """Does not fit into float16."""
    return scores.masked_fill(~keep, -1e9)


def lowest_float32(scores: Tensor, keep: Tensor) -> Tensor:
    """The lowest float32 fits into neither float16 nor bfloat16."""
    return scores.masked_fill(~keep, torch.finfo(torch.float32).min)


def minus_inf(scores: Tensor, keep: Tensor) -> Tensor:
    """-inf everywhere in a row makes its softmax NaN."""
    return scores.masked_fill(~keep, -INF)


def plus_inf(scores: Tensor, keep: Tensor) -> Tensor:
    """The sign is lost."""
    return scores.masked_fill(~keep, INF)


def times_inf(scores: Tensor, keep: Tensor) -> Tensor:
    """0 times -inf is NaN, where nothing should be added."""
    return scores + (~keep).to(scores.dtype) * -INF


def plus_log(scores: Tensor, keep: Tensor) -> Tensor:
    """0 or -inf is added."""
    return scores + keep.to(scores.dtype).log()


def plus_mask(scores: Tensor, keep: Tensor) -> Tensor:
    """0 or 1 is added."""
    return scores + keep.to(scores.dtype)


# What becomes of the weights afterwards?


def leave(weights: Tensor, _keep: Tensor) -> Tensor:
    """A query with nothing to attend to is not thought of."""
    return weights


def times_mask(weights: Tensor, keep: Tensor) -> Tensor:
    """Hidden weights go, what is left is not made to sum to 1."""
    return weights * keep


def inf_weights(weights: Tensor, keep: Tensor) -> Tensor:
    """-inf is written into the weights."""
    return weights.masked_fill(~keep, -INF)


def where_empty(weights: Tensor, keep: Tensor) -> Tensor:
    """NaN is replaced on the way forward; its gradient is NaN all the same."""
    return torch.where(keep.any(-1, keepdim=True), weights, 0.0)


def cleared_in_place(weights: Tensor, keep: Tensor) -> Tensor:
    """Softmax needs its result again on the way back."""
    return weights.masked_fill_(~keep.any(-1, keepdim=True), 0.0)


MISTAKES: dict[str, Mapping[str, object]] = {
    "mask-unused": {"restrict": ignored},
    "mask-argument-missing": {"takes_mask": False},
    "mask-inverted": {"read_mask": inverted},
    "mask-truthiness": {"read_mask": by_truth},
    "mask-dtype": {"read_mask": one_minus},
    "mask-dtype-int": {"read_mask": integers},
    "inplace-on-input-mask": {"read_mask": inverted_in_place},
    "mask-on-query-axis": {"spread": on_queries},
    "pad-queries-masked-too": {"spread": both_ways},
    "mask-tiled-order": {"spread": tiled},
    "mask-one-head-or-sample-head": {"spread": first_head_only},
    "mask-one-head-or-sample-sample": {"spread": first_samples},
    "mask-assumed-square": {"spread": square},
    "mask-2d-as-padding": {"spread": rows_are_samples},
    "causal-always": {"restrict": causal},
    "length-fixed": {"restrict": within_a_table},
    "cpu-constant": {"restrict": cpu_ones},
    "cpu-constant-default": {"restrict": cpu_default},
    "cpu-constant-mask": {"restrict": cpu_fill},
    "mask-after-softmax": {"hide": nothing, "clear": times_mask},
    "inf-after-softmax": {"hide": nothing, "clear": inf_weights},
    "mask-fill-zero": {"hide": zero},
    "mask-fill-weak": {"hide": fixed_fill(10)},
    "mask-fill-weak-1e4": {"hide": fixed_fill(1e4)},
    "mask-fill-weak-1e5": {"hide": fixed_fill(1e5)},
    "mask-fill-plus-inf": {"hide": plus_inf, "clear": leave},
    "zero-times-inf": {"hide": times_inf, "clear": leave},
    "mask-added-raw": {"hide": plus_mask},
    "half-1e9": {"hide": minus_1e9},
    "finfo-wrong-dtype": {"hide": lowest_float32},
    "full-row-nan": {"hide": minus_inf, "clear": leave},
    "full-row-nan-added": {"hide": plus_log, "clear": leave},
    "full-row-mean": {"clear": leave},
    "where-nan-grad": {"hide": plus_log, "clear": where_empty},
    "inplace-on-softmax": {"clear": cleared_in_place},
}
