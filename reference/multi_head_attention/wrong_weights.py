"""Wrong stages of `attend` from the scores on: the softmax, the average, what is handed back."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn.functional import dropout
from wrong_attend import Sizes
from wrong_masks import leave, minus_inf, zero

# How do scores become weights?


def over_queries(scores: Tensor) -> Tensor:
    """Columns sum to 1, rows do not."""
    return scores.softmax(-2)


def over_heads(scores: Tensor) -> Tensor:
    """dim=1 was the keys' axis once, with three axes."""
    return scores.softmax(1)


def over_batch(scores: Tensor) -> Tensor:
    """Alone in its batch, a sample's weights are all 1."""
    return scores.softmax(0)


def over_both(scores: Tensor) -> Tensor:
    """One softmax over the whole Tq × Tk table."""
    return scores.flatten(-2).softmax(-1).view(scores.shape)


def no_softmax(scores: Tensor) -> Tensor:
    """Scores are used as weights."""
    return scores


def log_softmax(scores: Tensor) -> Tensor:
    """Logarithms of weights are used as weights."""
    return scores.log_softmax(-1)


def over_their_sum(scores: Tensor) -> Tensor:
    """Rows sum to 1, and nothing keeps a weight between 0 and 1."""
    return scores / scores.sum(-1, keepdim=True)


def plain_exp(scores: Tensor) -> Tensor:
    """The power overflows for large scores: inf / inf."""
    powers = scores.exp()
    return powers / powers.sum(-1, keepdim=True)


def detached_sum(scores: Tensor) -> Tensor:
    """The divisor is held constant on the way back, and so is the maximum."""
    powers = (scores - scores.amax(-1, keepdim=True).detach()).exp()
    return powers / powers.sum(-1, keepdim=True).detach()


def detached_sum_alone(scores: Tensor) -> Tensor:
    """The divisor is held constant on the way back, the maximum is not."""
    powers = (scores - scores.amax(-1, keepdim=True)).exp()
    return powers / powers.sum(-1, keepdim=True).detach()


def wide_weights(scores: Tensor) -> Tensor:
    """Half precision is computed in float32, and left there."""
    return scores.softmax(-1, dtype=torch.promote_types(scores.dtype, torch.float32))


def float32_weights(scores: Tensor) -> Tensor:
    """Computed in float32, and left there."""
    return scores.float().softmax(-1)


def of_dropped_scores(scores: Tensor) -> Tensor:
    """Some scores are set to 0 before the softmax, on every call."""
    return dropout(scores, 0.1).softmax(-1)


# What becomes of the weights?


def no_nan(weights: Tensor, _keep: Tensor) -> Tensor:
    """Whatever is NaN becomes 0."""
    return weights.nan_to_num()


def hidden_weights(weights: Tensor, keep: Tensor) -> Tensor:
    """Every hidden weight becomes 0."""
    return weights.masked_fill(~keep, 0.0)


def softmax_again(weights: Tensor, _n: Sizes) -> Tensor:
    """A softmax of weights, which lie between 0 and 1: nearly the same for every key."""
    return weights.softmax(-1)


def detached(weights: Tensor, _n: Sizes) -> Tensor:
    """No gradient passes through the weights."""
    return weights.detach()


def dropped(weights: Tensor, _n: Sizes) -> Tensor:
    """Dropped on every call, and handed back so."""
    return dropout(weights, 0.1)


# How are the values averaged?


def transposed_weights(weights: Tensor, v: Tensor, _n: Sizes) -> Tensor:
    """The weights are transposed once more."""
    return weights.transpose(-2, -1) @ v


def separate_letters(weights: Tensor, v: Tensor, _n: Sizes) -> Tensor:
    """One einsum letter for the weights' keys, another for the values': both are summed away."""
    return torch.einsum("bhqk,bhjd->bhqd", weights, v)


def of_dropped_weights(weights: Tensor, v: Tensor, _n: Sizes) -> Tensor:
    """Dropped on every call, in eval too."""
    return dropout(weights, 0.1) @ v


def dropped_average(weights: Tensor, v: Tensor, _n: Sizes) -> Tensor:
    """The heads are dropped, not the weights, and on every call."""
    return dropout(weights @ v, 0.1)


def as_wide_as_q(weights: Tensor, v: Tensor, n: Sizes) -> Tensor:
    """The result is given the shape of q."""
    return (weights @ v).reshape(n.b, n.h, n.tq, n.d_k)


# What is handed back?


def heads_only(heads: Tensor, *_others: Tensor) -> Tensor:
    """One tensor, where two are asked for."""
    return heads


def weights_first(heads: Tensor, weights: Tensor, *_scores: Tensor) -> tuple[Tensor, Tensor]:
    """The pair turned round."""
    return weights, heads


def scores_for_weights(
    heads: Tensor, _weights: Tensor, scores: Tensor, _hidden: Tensor
) -> tuple[Tensor, Tensor]:
    """What was there before mask and softmax."""
    return heads, scores


def hidden_for_weights(
    heads: Tensor, _weights: Tensor, _scores: Tensor, hidden: Tensor
) -> tuple[Tensor, Tensor]:
    """What went into the softmax, not what came out."""
    return heads, hidden


def mean_weights(heads: Tensor, weights: Tensor, *_scores: Tensor) -> tuple[Tensor, Tensor]:
    """(B, Tq, Tk): one table for all heads."""
    return heads, weights.mean(1)


def cut_off(heads: Tensor, weights: Tensor, *_scores: Tensor) -> tuple[Tensor, Tensor]:
    """New tensors with the old values, and no way back."""
    return heads.detach(), weights.detach()


MISTAKES: dict[str, dict[str, Callable[..., object]]] = {
    "softmax-query-axis": {"normalise": over_queries},
    "softmax-query-axis-inf": {"normalise": over_queries, "hide": minus_inf, "clear": no_nan},
    "softmax-head-axis": {"normalise": over_heads},
    "softmax-head-axis-inf": {"normalise": over_heads, "hide": minus_inf, "clear": no_nan},
    "softmax-batch-axis": {"normalise": over_batch},
    "softmax-batch-axis-inf": {"normalise": over_batch, "hide": minus_inf, "clear": no_nan},
    "softmax-over-both": {"normalise": over_both},
    "softmax-absent-or-log-absent": {"normalise": no_softmax, "hide": minus_inf},
    "softmax-absent-or-log-absent-zero": {"normalise": no_softmax, "hide": zero},
    "softmax-absent-or-log-log": {"normalise": log_softmax, "hide": minus_inf},
    "softmax-absent-or-log-sigmoid": {"normalise": torch.sigmoid},
    "divided-by-sum": {"normalise": over_their_sum, "hide": zero, "clear": leave},
    "divided-by-sum-cleared": {"normalise": over_their_sum, "hide": zero, "clear": no_nan},
    "softmax-twice": {"adjust": softmax_again},
    "exp-without-max": {"normalise": plain_exp, "clear": hidden_weights},
    "exp-without-max-rows": {"normalise": plain_exp},
    "exp-without-max-nan": {"normalise": plain_exp, "clear": no_nan},
    "denominator-detached": {"normalise": detached_sum},
    "denominator-detached-max": {"normalise": detached_sum_alone},
    "upcast-not-undone": {"normalise": wide_weights},
    "upcast-not-undone-float32": {"normalise": float32_weights},
    "weights-transposed-at-v": {"average": transposed_weights},
    "einsum-letter-reused-values": {"average": separate_letters},
    "dv-assumed-dk": {"average": as_wide_as_q},
    "graph-cut": {"finish": cut_off},
    "graph-cut-weights": {"adjust": detached},
    "dropout-always-on": {"average": of_dropped_weights},
    "dropout-before-softmax": {"normalise": of_dropped_scores},
    "dropout-on-output": {"average": dropped_average},
    "weights-after-dropout": {"adjust": dropped},
    "weights-not-returned": {"finish": heads_only},
    "results-exchanged": {"finish": weights_first},
    "scores-returned": {"finish": hidden_for_weights, "hide": minus_inf, "clear": no_nan},
    "scores-returned-lowest": {"finish": hidden_for_weights},
    "scores-returned-unmasked": {"finish": scores_for_weights},
    "mha-averaged-weights": {"finish": mean_weights},
}
