"""The expected numbers times something, plus something, or bent: what was done to them besides the right thing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import numpy as np

from grader.lesson.fingerprint import Floats, SealedTensor, sums

from .facts import WHOLE, Fact, called, wrong_of, your
from .sight import Sight, Sights
from .symbols import factor_of, plain

LEAST = 1e-3  # relative; what is off by less is rounding
VARIES = "a factor that differs from case to case"
WELL = 1e6  # condition of a matrix that may be divided by


def factors(name: str, sights: Sights) -> Iterator[Fact]:
    """One factor, one addend or one simple function that makes the expected numbers the learner's."""
    wrong = wrong_of(sights)
    if not wrong or any(sight.mine.shape != sight.want.shape for sight in wrong):
        return
    if all(not sight.mine.any() for sight in wrong):
        yield Fact(WHOLE, "factor", f"{your(name, sights)} zero everywhere.")
        return
    said = _input(wrong) or _times(wrong) or _plus(wrong) or _residual(wrong) or _bent(wrong)
    if said:
        yield Fact(WHOLE, "factor", f"{your(name, sights)} {said}.")


def products(name: str, sights: Sights) -> Iterator[Fact]:
    """A matrix among the inputs that was left out at the end, used twice, or used turned."""
    wrong = wrong_of(sights)
    for matrix in sorted(set.intersection(*(set(sight.probe.tensors) for sight in wrong))) if wrong else ():
        for said, test in _PRODUCTS:
            if all(_holds(sight, matrix, test) for sight in wrong):
                yield Fact(WHOLE, "product", said.format(name=called(name), matrix=matrix))
                return


def _input(wrong: Sights) -> str:
    for given in wrong[0].probe.tensors:
        if all(_is_input(sight, given) for sight in wrong):
            return f"the input `{given}`, unchanged"
    return ""


def _is_input(sight: Sight, given: str) -> bool:
    array = sight.probe.tensors.get(given)
    if array is None or array.shape != sight.mine.shape or array.dtype.kind != "f":
        return False
    return bool(np.abs(np.asarray(array, np.float64) - sight.mine).max() <= sight.allowed)


def _times(wrong: Sights) -> str:
    found = [_ratio(sight) for sight in wrong]
    values = [value for value in found if value is not None]
    if len(values) < len(found) or any(abs(value - 1) < LEAST for value in values):
        return ""
    return f"the expected one times {told(values, wrong)}"


def told(values: list[float], wrong: Sights) -> str:
    """`1.732 (√h)`; `√d_k (2 where d_k = 4)`; `2 (in another case 2.236)` where the form is not known."""
    form = factor_of(values, [sight.probe.sizes for sight in wrong])
    first = f"{values[0]:.4g}"
    if max(values) - min(values) <= LEAST * abs(values[0]):
        return first if form in ("", first) else f"{first} ({form})"
    if form:
        sizes = wrong[0].probe.sizes
        where = " and ".join(
            f"{axis} = {size}" for axis, size in sizes.items() if axis in re.split(r"[^\w·]+", form)
        )
        return f"{form} ({first} where {where})"
    other = next(value for value in values if abs(value - values[0]) > LEAST * abs(values[0]))
    return f"{VARIES} ({first}, {other:.4g})"


def _ratio(sight: Sight) -> float | None:
    mine, expected = _sides(sight)
    below = float((expected * expected).sum())
    if not below:
        return None
    value = float((mine * expected).sum()) / below
    return value if abs(value) > LEAST and sight.fits(sight.mine / value) else None


def _plus(wrong: Sights) -> str:
    values = []
    for sight in wrong:
        mine, expected = _sides(sight)
        ones = (
            sums(np.ones(sight.mine.shape))
            if isinstance(sight.want, SealedTensor)
            else np.ones(sight.mine.shape)
        )
        value = float(((mine - expected) * ones).sum() / (ones * ones).sum())
        if abs(value) < LEAST or not sight.fits(sight.mine - value):
            return ""
        values.append(value)
    return f"the expected one plus {told(values, wrong)} everywhere"


def _residual(wrong: Sights) -> str:
    for given in wrong[0].probe.tensors:
        values = [_share(sight, given) for sight in wrong]
        shares = [value for value in values if value is not None]
        if len(shares) == len(values) and max(shares) - min(shares) <= LEAST:
            times = "" if abs(shares[0] - 1) < LEAST else f"{plain(shares[0]) or f'{shares[0]:.4g}'} times "
            return f"the expected one plus {times}the input `{given}`"
    return ""


def _share(sight: Sight, given: str) -> float | None:
    array = sight.probe.tensors.get(given)
    if array is None or array.shape != sight.mine.shape or array.dtype.kind != "f":
        return None
    mine, expected = _sides(sight)
    whole = np.asarray(array, np.float64)
    part = sums(whole) if isinstance(sight.want, SealedTensor) else whole
    below = float((part * part).sum())
    value = float(((mine - expected) * part).sum() / below) if below else 0.0
    return value if abs(value) > LEAST and sight.fits(sight.mine - value * whole) else None


def _sides(sight: Sight) -> tuple[Floats, Floats]:
    """The learner's numbers and the expected ones, or what is left of both where these are sealed."""
    if isinstance(sight.want, SealedTensor):
        return sums(sight.mine), sight.want.sums
    expected = sight.expected
    return sight.mine, np.zeros_like(sight.mine) if expected is None else expected


def _bent(wrong: Sights) -> str:
    for said, bend in _BENDS:
        if all(_is_bent(sight, bend) for sight in wrong):
            return said
    return ""


def _is_bent(sight: Sight, bend: Callable[[Floats], Floats]) -> bool:
    expected = sight.expected
    if expected is None:
        return False
    with np.errstate(all="ignore"):
        return bool(np.abs(bend(expected) - sight.mine).max() <= sight.allowed)


def _softmax(array: Floats) -> Floats:
    powers: Floats = np.exp(array - array.max(axis=-1, keepdims=True))
    shares: Floats = powers / powers.sum(axis=-1, keepdims=True)
    return shares


_BENDS: tuple[tuple[str, Callable[[Floats], Floats]], ...] = (
    ("the expected one with 0 for every negative number", lambda array: np.maximum(array, 0)),
    ("the expected one without its signs", np.abs),
    ("the tanh of the expected one", np.tanh),
    ("the expected one, rounded", np.round),
    ("the expected one squared", np.square),
    ("a softmax of the expected one", _softmax),
)


def _holds(sight: Sight, matrix: str, test: Callable[[Sight, Floats], bool]) -> bool:
    array = sight.probe.tensors.get(matrix)
    if array is None or array.ndim != 2 or array.dtype.kind != "f" or not sight.mine.ndim:
        return False
    try:
        return test(sight, np.asarray(array, np.float64))
    except (ValueError, np.linalg.LinAlgError):
        return False  # the shapes do not fit, so it cannot be this matrix


def _left_out(sight: Sight, matrix: Floats) -> bool:
    return sight.fits(sight.mine @ matrix)


def _twice(sight: Sight, matrix: Floats) -> bool:
    expected = sight.expected
    return expected is not None and bool(np.abs(expected @ matrix - sight.mine).max() <= sight.allowed)


def _turned(sight: Sight, matrix: Floats) -> bool:
    if matrix.shape[0] != matrix.shape[1] or np.linalg.cond(matrix) > WELL or np.allclose(matrix, matrix.T):
        return False
    return sight.fits(np.linalg.solve(matrix, np.moveaxis(sight.mine, -1, 0).reshape(len(matrix), -1)).T.reshape(
        sight.mine.shape) @ matrix)  # fmt: skip


_PRODUCTS: tuple[tuple[str, Callable[[Sight, Floats], bool]], ...] = (
    ("Your {name} times `{matrix}` is the expected one: that product is missing at the end.", _left_out),
    ("Your {name} is the expected one times `{matrix}` once more.", _twice),
    ("Your {name} would be right with `{matrix}` turned: it is used transposed, at the end.", _turned),
)
