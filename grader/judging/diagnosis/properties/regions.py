"""Where answers are right and where not: first, last, the diagonal; and what is the same where it should not be."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from grader.lesson.fingerprint import SealedTensor, slack, slices

from .facts import DEED, HINT, PLACE, Fact, called, places, wrong_of
from .sight import Sight, Sights

Flags = NDArray[np.bool_]


def regions(name: str, sights: Sights) -> Iterator[Fact]:
    """Along one axis or two, the places that are right in every wrong case."""
    wrong = wrong_of(sights)
    if not wrong or any(sight.mine.shape != sight.want.shape for sight in wrong):
        return
    where = "Where it is wrong, your" if any(sight.right and sight.telling for sight in sights) else "Your"
    for one, two in combinations(range(len(wrong[0].axes)), 2):
        said = _across(wrong, one, two)
        if said:
            yield Fact(PLACE, "region", f"{where} {called(name)} is {said}.")
            return
    for axis, label in enumerate(wrong[0].axes):
        said = _along(wrong, axis, label)
        if said:
            yield Fact(PLACE, "region", f"{where} {called(name)} is {said}.")
            return


def _along(wrong: Sights, axis: int, label: str) -> str:
    found = [_right_along(sight, axis) for sight in wrong]
    if any(len(flags) < 2 for flags in found):
        return ""
    for said, pattern in _ENDS.items():
        if all(np.array_equal(flags, pattern(len(flags))) for flags in found):
            return said.format(label)
    first = found[0]
    if first.any() and not first.all() and all(np.array_equal(flags, first) for flags in found):
        right, off = np.flatnonzero(first).tolist(), np.flatnonzero(~first).tolist()
        return f"right at {places(label, right)}, and wrong at {places(label, off)}"
    return ""


_ENDS: Mapping[str, Callable[[int], Flags]] = {
    "right at {0} 0, and wrong at every other {0}": lambda length: np.arange(length) == 0,
    "right at the last {0}, and wrong at every other {0}": lambda length: np.arange(length) == length - 1,
    "wrong at {0} 0, and right at every other {0}": lambda length: np.arange(length) > 0,
    "wrong at the last {0}, and right at every other {0}": lambda length: np.arange(length) < length - 1,
}


def _right_along(sight: Sight, axis: int) -> Flags:
    """For each place along an axis whether everything there is right."""
    others = tuple(other for other in range(sight.mine.ndim) if other != axis)
    if isinstance(sight.want, SealedTensor):
        if not sight.want.slices:
            return np.zeros(0, np.bool_)
        share = float(slack(sight.want.shape).sum()) / sight.mine.shape[axis]  # tolerances in one slice's sum
        allowed = sight.allowed * share
        flags: Flags = np.abs(slices(sight.mine)[axis] - sight.want.slices[axis]) <= allowed
        return flags
    return np.asarray(_right(sight).all(axis=others))


def _right(sight: Sight) -> Flags:
    expected = sight.expected
    assert expected is not None
    flags: Flags = np.abs(sight.mine - expected) <= sight.allowed
    return flags


def _across(wrong: Sights, one: int, two: int) -> str:
    if any(
        sight.expected is None or min(sight.mine.shape[one], sight.mine.shape[two]) < 2 for sight in wrong
    ):
        return ""
    rest = tuple(axis for axis in range(wrong[0].mine.ndim) if axis not in (one, two))
    found = [_right(sight).all(axis=rest) for sight in wrong]
    row, column = wrong[0].axes[one], wrong[0].axes[two]
    for said, pattern in _PLANES.items():
        if all(np.array_equal(flags, pattern(*np.indices(flags.shape))) for flags in found):
            return said.format(row, column)
    return ""


_PLANES: Mapping[str, Callable[[NDArray[np.int64], NDArray[np.int64]], Flags]] = {
    "right only on the diagonal ({0} = {1})": lambda row, column: row == column,
    "wrong only on the diagonal ({0} = {1})": lambda row, column: row != column,
    "right just where {1} ≤ {0}": lambda row, column: column <= row,
    "right just where {1} ≥ {0}": lambda row, column: column >= row,
    "right just where {1} < {0}": lambda row, column: column < row,
    "right just where {1} > {0}": lambda row, column: column > row,
}


def repeats(name: str, sights: Sights) -> Iterator[Fact]:
    """An axis along which all answers are the same, though the expected ones are not."""
    wrong = [sight for sight in wrong_of(sights) if sight.mine.shape == sight.want.shape]
    for axis, label in enumerate(wrong[0].axes if wrong else ()):
        wide = [sight for sight in wrong if sight.mine.shape[axis] > 1]
        if wide and all(_is_flat(sight, axis) for sight in wide):
            yield Fact(
                DEED, "repeats", f"Your {called(name)} is the same at every {label}, which it should not be."
            )
            return


def _is_flat(sight: Sight, axis: int) -> bool:
    expected = sight.expected
    if expected is None or not sight.mine.any():
        return False
    spread = [float(np.ptp(array, axis=axis).max()) for array in (sight.mine, expected)]
    return spread[0] <= sight.allowed < spread[1]


def rows(name: str, sights: Sights) -> Iterator[Fact]:
    """Along the last axis right up to a factor, which is another one from row to row."""
    wrong = [sight for sight in wrong_of(sights) if sight.mine.shape == sight.want.shape]
    if wrong and all(_is_scaled(sight) for sight in wrong):
        label = wrong[0].axes[-1]
        text = f"In your {called(name)} every row along {label} is right up to a factor, which changes from row to row."
        yield Fact(DEED, "factor", text)


def _is_scaled(sight: Sight) -> bool:
    expected = sight.expected
    if expected is None or not sight.mine.ndim or sight.mine.shape[-1] < 3:
        return False
    below = (expected * expected).sum(axis=-1, keepdims=True)
    factor = (sight.mine * expected).sum(axis=-1, keepdims=True) / np.where(below > 0, below, 1.0)
    return bool(np.abs(factor).min() > 1e-3 and np.abs(sight.mine - factor * expected).max() <= sight.allowed)


def alone(found: Mapping[str, Sights]) -> Iterator[Fact]:
    """Of several results, the ones that are always right; results that were exchanged."""
    right = [name for name, sights in found.items() if all(sight.right for sight in sights)]
    wrong = [name for name in found if name not in right]
    for one, two in combinations(wrong, 2):
        pairs = [
            (a, b)
            for a in found[one]
            for b in found[two]
            if a.probe.id == b.probe.id and a.name[len(one) :] == b.name[len(two) :]
        ]
        if pairs and all(_exchanged(a, b) for a, b in pairs):
            yield Fact(
                PLACE + 2,
                "layout",
                f"Your {called(one)} and {called(two)} are exchanged: each is right in the other's place.",
            )
    if right and len(wrong) == 1:
        yield Fact(
            HINT, "alone", f"Your {called(right[0])} is right in every case; only {called(wrong[0])} is not."
        )


def _exchanged(one: Sight, two: Sight) -> bool:
    return one.telling and two.telling and one.fits(two.mine) and two.fits(one.mine)
