"""What is only true of shares: over which axis they sum to 1, how sharp they are, what the mask leaves of them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from grader.lesson.fingerprint import Floats

from .factors import VARIES, told
from .facts import DEED, WHOLE, Fact, called, order, wrong_of
from .sight import Sight, Sights

Flags = NDArray[np.bool_]
LEAST = 1e-3
OFTEN = (2.0, 0.5)  # powers that are tried where the expected numbers are sealed, besides those of sizes


def sharpness(_name: str, sights: Sights) -> Iterator[Fact]:
    """A softmax of scores that are right up to a factor."""
    wrong = wrong_of(sights)
    if not wrong or any(sight.mine.shape != sight.want.shape for sight in wrong):
        return
    for axis, label in enumerate(wrong[0].axes):
        if not all(_sums_to_one(sight.mine, axis) and sight.mine.min() >= 0 for sight in wrong):
            continue
        found = [_power(sight, axis) for sight in wrong]
        values = [value for value in found if value is not None]
        if values and len(values) == len(found) and all(abs(value - 1) > LEAST for value in values):
            small = max(values) < 1
            side = "too small" if small else "too large" if min(values) > 1 else "off"
            shown = told([1 / value for value in values] if small else values, wrong)
            by = shown if shown.startswith(VARIES) else f"the factor {shown}"
            yield Fact(
                WHOLE + 1, "factor", f"Your scores, before the softmax over {label}, are {side} by {by}."
            )
            return


def _sums_to_one(array: Floats, axis: int | tuple[int, ...]) -> bool:
    """Whether it does so everywhere, but for places that hold nothing, and is not 1 by being alone."""
    total = array.sum(axis=axis)
    return bool((np.isclose(total, 1, atol=1e-5) | (total == 0)).all()) and bool((total != 0).any())


def _power(sight: Sight, axis: int) -> float | None:
    """The factor of the scores: the power of the expected shares that gives the learner's."""
    if sight.mine.shape[axis] < 2:
        return None
    expected = sight.expected
    tried = _likely(sight) if expected is None else [_fitted(sight.mine, expected, axis)]
    for value in tried:
        if value and abs(value) > LEAST:
            with np.errstate(all="ignore"):
                bent = np.where(sight.mine > 0, sight.mine ** (1 / value), 0.0)
                total = bent.sum(axis=axis, keepdims=True)
                shares = np.divide(bent, total, out=np.zeros_like(bent), where=total > 0)
            if sight.fits(shares):
                return value
    return None


def _fitted(mine: Floats, expected: Floats, axis: int) -> float:
    here = (mine > 1e-9) & (expected > 1e-9)
    one = _centred(np.log(np.where(here, mine, 1.0)), here, axis)
    two = _centred(np.log(np.where(here, expected, 1.0)), here, axis)
    below = float((two * two).sum())
    return float((one * two).sum()) / below if below > 1e-6 else 0.0


def _centred(logs: Floats, here: Flags, axis: int) -> Floats:
    count = here.sum(axis=axis, keepdims=True)
    mean = np.where(here, logs, 0.0).sum(axis=axis, keepdims=True) / np.maximum(count, 1)
    return np.where(here, logs - mean, 0.0)


def _likely(sight: Sight) -> list[float]:
    sizes = [float(size) for size in sight.probe.sizes.values() if size > 1]
    powers = [power for size in sizes for power in (size**0.5, size, size**-0.5, 1 / size, size**0.25)]
    return list(dict.fromkeys([*powers, *OFTEN]))


def totals(name: str, sights: Sights) -> Iterator[Fact]:
    """The axis over which the expected numbers sum to 1, and over which the learner's do."""
    whole = [sight for sight in sights if sight.expected is not None and sight.mine.shape == sight.want.shape]
    wrong = [sight for sight in whole if not sight.right and sight.finite and sight.telling]
    for axis, label in enumerate(whole[0].axes if wrong else ()):
        given = [sight.expected for sight in whole]
        if not all(array is not None and _sums_to_one(array, axis) for array in given):
            continue
        off = [sight for sight in wrong if not _sums_to_one(sight.mine, axis)]
        if len(off) == len(wrong):
            instead = _instead(off, axis)
            weight = WHOLE if instead.startswith("it does") else DEED
            yield Fact(weight, "totals", f"Your {called(name)} should sum to 1 over {label}; {instead}.")
            return


def _instead(wrong: list[Sight], axis: int) -> str:
    axes = wrong[0].axes
    others = [(other,) for other in range(len(axes)) if other != axis]
    for some in [*others, *combinations(range(len(axes)), 2), *combinations(range(len(axes)), 3)]:
        if all(_sums_to_one(sight.mine, some) for sight in wrong):
            return f"it does so over {order([axes[n] for n in some]) if len(some) > 1 else axes[some[0]]}"
    total = wrong[0].mine.sum(axis=axis)
    return f"its sums lie between {total.min():.4g} and {total.max():.4g} (case: {wrong[0].probe.say})"


def masked(name: str, sights: Sights) -> Iterator[Fact]:
    """Zeros where a mask of the inputs says otherwise; NaN where it lets nothing through."""
    cases = [(sight, mask, _widened(array, sight)) for sight in sights for mask, array in _masks(sight)]
    wrong = [(sight, array) for sight, _, array in cases if not sight.right and array is not None]
    if not wrong or any(array is None for _, _, array in cases):
        return  # a mask that does not fit this tensor in some case is not about it
    label = cases[0][1]
    same = [(sight, array) for sight, array in wrong if sight.finite and sight.mine.shape == sight.want.shape]
    hidden = [(sight, array) for sight, array in same if array.any() and not array.all()]
    if not hidden or any(
        sight.expected is not None and sight.expected[~array].any() for sight, array in hidden
    ):
        return
    if all(_turned(sight, array) for sight, array in hidden):
        yield Fact(
            WHOLE,
            "mask",
            f"Your {called(name)} is 0 exactly where `{label}` is True, and not where it is False.",
        )
    elif all(bool((sight.mine[~array] != 0).any()) for sight, array in hidden):
        yield Fact(DEED + 1, "mask", f"Your {called(name)} is not 0 in every place where `{label}` is False.")


def emptied(name: str, sights: Sights) -> Iterator[Fact]:
    """NaN or infinity: everywhere, or just where a mask lets nothing through."""
    odd = [sight for sight in sights if not sight.right and not sight.finite]
    if not odd:
        return
    if all(not np.isfinite(sight.mine).any() for sight in odd):
        yield Fact(DEED, "odd", f"No number of your {called(name)} is finite where it is wrong.")
    label = next((key for key, array in odd[0].probe.tensors.items() if array.dtype == np.bool_), "")
    if label and all(_odd_where_empty(sight, label) for sight in odd):
        yield Fact(
            WHOLE,
            "odd",
            f"Your {called(name)} is NaN exactly where `{label}` has a row without a single True.",
        )


def _odd_where_empty(sight: Sight, label: str) -> bool:
    mask = sight.probe.tensors.get(label)
    if mask is None or mask.ndim < 2 or mask.dtype != np.bool_:
        return False
    odd, empty = np.isnan(sight.mine).all(axis=-1), ~mask.any(axis=-1)
    if np.isnan(sight.mine).any(axis=-1).tolist() != odd.tolist():
        return False
    try:
        return bool(empty.any()) and np.array_equal(np.broadcast_to(empty, odd.shape), odd)
    except ValueError:
        return False


def _masks(sight: Sight) -> list[tuple[str, Flags]]:
    return [(n, np.asarray(a, np.bool_)) for n, a in sight.probe.tensors.items() if a.dtype == np.bool_]


def _widened(mask: Flags, sight: Sight) -> Flags | None:
    """The mask as wide as the tensor; None where it cannot be."""
    try:
        return np.broadcast_to(mask, sight.mine.shape)
    except ValueError:
        return None


def _turned(sight: Sight, mask: Flags) -> bool:
    return bool((sight.mine[mask] == 0).all()) and bool((sight.mine[~mask] != 0).all())
