"""`cost` as a sum with every factor named, and what people put in their place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def divisible(d_model: int, h: int) -> None:
    """Right: says when the heads cannot share d_model."""
    if h < 1 or d_model % h:
        raise ValueError(f"d_model = {d_model} cannot be shared by {h} heads")


def four(_h: int) -> int:
    """Right: W_Q, W_K, W_V and W_O, whatever the number of heads."""
    return 4


def once(_h: int) -> int:
    """Right: h heads of width d_model / h cost what one head of width d_model costs."""
    return 1


def none(*_sizes: int) -> int:
    """Right: nothing besides the weights, or besides the matrix products, is counted."""
    return 0


def build(
    *,
    check: Callable[[int, int], None] = divisible,
    matrices: Callable[[int], float] = four,
    more_parameters: Callable[[int], int] = none,
    parameters_as: Callable[[float], float] = int,
    products: Callable[[int], float] = four,
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
        return parameters_as(matrices(num_heads) * d_model**2 + more_parameters(d_model))

    def flop_count(batch: int, tokens: int, d_model: int, num_heads: int) -> float:
        """Products with a matrix, tokens · d_model², and of tokens with tokens, tokens² · d_model."""
        check(d_model, num_heads)
        pairs = tokens * (1 if linear else tokens)
        projected = products(num_heads) * tokens * d_model**2
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


def four_each(h: int) -> int:
    """Four full matrices for every head."""
    return 4 * h


def three_each(h: int) -> int:
    """Three full matrices for every head, and one W_O."""
    return 3 * h + 1


def four_of_one_head(h: int) -> float:
    """Four matrices as wide as one head."""
    return 4 / h


def three(_h: int) -> int:
    """W_O is forgotten."""
    return 3


def one(_h: int) -> int:
    """Three of four are forgotten."""
    return 1


def no_matrix(_h: int) -> int:
    """All four are forgotten."""
    return 0


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
    "nondivisible-unchecked-cost": {"check": unchecked},
    "cost-params-times-heads": {"matrices": three_each},
    "cost-params-times-heads-all": {"matrices": four_each},
    "cost-params-one-head": {"matrices": four_of_one_head},
    "cost-params-no-wo": {"matrices": three},
    "cost-params-one-matrix": {"matrices": one},
    "cost-params-with-bias": {"more_parameters": biases},
    "cost-params-float": {"parameters_as": float},
    "cost-flops-times-heads": {"quadratic_times": each_head},
    "cost-flops-times-heads-all": {"products": four_each, "quadratic_times": each_head},
    "cost-flops-times-heads-projections": {"products": four_each},
    "cost-flops-times-heads-qkv": {"products": three_each},
    "cost-flops-one-head": {"quadratic_times": one_head},
    "cost-flops-no-wo": {"products": three},
    "cost-flops-no-projections": {"products": no_matrix},
    "cost-flops-one-projection": {"products": one},
    "cost-multiply-add-is-one": {"per_multiply_add": 1},
    "cost-flops-no-attention": {"quadratic": 0},
    "cost-flops-no-values": {"quadratic": 1},
    "cost-flops-attention-doubled": {"quadratic": 4},
    "cost-flops-linear-in-tokens": {"linear": True},
    "cost-flops-no-batch": {"samples": one_sample},
    "cost-flops-softmax": {"more_flops": softmax},
    "cost-flops-softmax-two": {"more_flops": scaling},
    "cost-flops-softmax-three": {"more_flops": softmax_in_three},
    "cost-flops-softmax-five": {"more_flops": softmax_in_five},
    "cost-returns-float": {"parameters_as": float, "flops_as": float},
    "cost-flops-float": {"flops_as": float},
}
