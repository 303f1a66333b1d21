"""`cost` as a sum with every factor named, and what people put in their place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def divisible(d_model: int, h: int) -> None:
    """Right: says when the heads cannot share d_model."""
    if h < 1 or d_model % h:
        raise ValueError(f"d_model = {d_model} cannot be shared by {h} heads")


def once(_h: int) -> int:
    """Right: h heads of width d_model / h cost what one head of width d_model costs."""
    return 1


def none(*_sizes: int) -> int:
    """Right: nothing besides the weights, or besides the matrix products, is counted."""
    return 0


def build(
    *,
    check: Callable[[int, int], None] = divisible,
    matrices: int = 4,
    matrix_times: Callable[[int], float] = once,
    more_parameters: Callable[[int], int] = none,
    parameters_as: Callable[[float], float] = int,
    products: int = 4,
    product_times: Callable[[int], float] = once,
    per_multiply_add: int = 2,
    quadratic: int = 2,
    quadratic_times: Callable[[int], float] = once,
    linear: bool = False,
    samples: Callable[[int], int] = int,
    more_flops: Callable[[int, int, int, int], int] = none,
    flops_as: Callable[[float], float] = int,
) -> dict[str, object]:
    """The functions `parameter_count` and `flop_count` with some factors replaced."""

    def parameter_count(d_model: int, num_heads: int) -> float:
        """Matrices of d_model × d_model."""
        check(d_model, num_heads)
        return parameters_as(matrices * d_model**2 * matrix_times(num_heads) + more_parameters(d_model))

    def flop_count(batch: int, tokens: int, d_model: int, num_heads: int) -> float:
        """Products with a matrix, tokens · d_model², and of tokens with tokens, tokens² · d_model."""
        check(d_model, num_heads)
        pairs = tokens * (1 if linear else tokens)
        projected = products * tokens * d_model**2 * product_times(num_heads)
        attended = quadratic * pairs * d_model * quadratic_times(num_heads)
        counted = per_multiply_add * samples(batch) * (projected + attended)
        return flops_as(counted + more_flops(batch, tokens, d_model, num_heads))

    return {"parameter_count": parameter_count, "flop_count": flop_count}


def unchecked(_d_model: int, _h: int) -> None:
    """Any number of heads will do."""


def each_head(h: int) -> int:
    """Every head as dear as the whole."""
    return h


def one_head(h: int) -> float:
    """One head's share, the other heads forgotten."""
    return 1 / h


def biases(d_model: int) -> int:
    """Four biases that are not there."""
    return 4 * d_model


def three_biases(d_model: int) -> int:
    """Three biases that are not there."""
    return 3 * d_model


def softmax(batch: int, tokens: int, _d_model: int, h: int) -> int:
    """One operation for each weight."""
    return batch * h * tokens**2


def softmax_in_three(batch: int, tokens: int, _d_model: int, h: int) -> int:
    """exp, sum and division for each weight."""
    return 3 * batch * h * tokens**2


def softmax_in_five(batch: int, tokens: int, _d_model: int, h: int) -> int:
    """Maximum, difference, exp, sum and division for each weight."""
    return 5 * batch * h * tokens**2


def scaling(batch: int, tokens: int, _d_model: int, h: int) -> int:
    """The division by √d_k and a softmax of one operation."""
    return 2 * batch * h * tokens**2


def one_sample(_batch: int) -> int:
    """The batch is forgotten."""
    return 1


MISTAKES: dict[str, dict[str, Any]] = {
    "no-divisibility-check-cost": {"check": unchecked},
    "cost-parameters-times-heads": {"matrix_times": each_head},
    "cost-parameters-one-head": {"matrix_times": one_head},
    "cost-parameters-wo-forgotten": {"matrices": 3},
    "cost-parameters-one-matrix": {"matrices": 1},
    "cost-parameters-biases": {"more_parameters": biases},
    "cost-parameters-float": {"parameters_as": float},
    "cost-flops-times-heads": {"product_times": each_head, "quadratic_times": each_head},
    "cost-flops-quadratic-times-heads": {"quadratic_times": each_head},
    "cost-flops-projections-times-heads": {"product_times": each_head},
    "cost-flops-one-head": {"quadratic_times": one_head},
    "cost-flops-wo-forgotten": {"products": 3},
    "cost-flops-projections-forgotten": {"products": 0},
    "cost-flops-one-projection": {"products": 1},
    "cost-flops-multiply-add-once": {"per_multiply_add": 1},
    "cost-flops-quadratic-missing": {"quadratic": 0},
    "cost-flops-quadratic-half": {"quadratic": 1},
    "cost-flops-quadratic-doubled": {"quadratic": 4},
    "cost-flops-linear": {"linear": True},
    "cost-flops-batch-forgotten": {"samples": one_sample},
    "cost-flops-softmax": {"more_flops": softmax},
    "cost-flops-softmax-two": {"more_flops": scaling},
    "cost-flops-softmax-three": {"more_flops": softmax_in_three},
    "cost-flops-softmax-five": {"more_flops": softmax_in_five},
    "cost-flops-float": {"flops_as": float},
}
