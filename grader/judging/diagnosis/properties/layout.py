"""Right numbers in wrong places: axes in another order, relabelled where they had to be moved, slices exchanged."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import permutations
from typing import Any

import numpy as np

from grader.lesson.fingerprint import Floats

from .facts import WHOLE, Fact, called, order, wrong_of, your
from .sight import Sight, Sights
from .symbols import length_of

MOST_AXES = 5
Order = tuple[int, ...]


def layouts(name: str, sights: Sights) -> Iterator[Fact]:
    """The one way of laying out the expected numbers that gives the learner's, if there is one."""
    wrong = wrong_of(sights)
    if not wrong:
        return
    names, _ = wrong[0].split()
    if (
        not all(_has_the_same(sight) for sight in wrong)
        or len(names) > MOST_AXES
        or any(sight.split()[0] != names for sight in wrong)
    ):
        return
    said = _relabelled(name, sights, wrong, names) or _recut(name, sights, wrong, names)
    if said:
        yield Fact(WHOLE, "layout", said)


def _has_the_same(sight: Sight) -> bool:
    """Whether the learner's numbers are the expected ones, in any order, as far as that can be told."""
    if sight.mine.size != math.prod(sight.want.shape):
        return False
    if sight.expected is None:
        return True
    off = np.abs(np.sort(sight.mine, axis=None) - np.sort(sight.expected, axis=None))
    return bool(off.max(initial=0.0) <= sight.allowed)


def _relabelled(name: str, sights: Sights, wrong: Sights, names: tuple[str, ...]) -> str:
    """The learner's numbers, in the order of memory, are the expected ones with their axes in another order."""
    plain = tuple(range(len(names)))
    for axes in permutations(plain):
        if all(_is_laid_out(sight, axes) for sight in wrong):
            break
    else:
        return ""
    came, partly = [names[axis] for axis in axes], any(sight.right and sight.telling for sight in sights)
    numbers = f"{'Where wrong, the' if partly else 'The'} numbers of your {called(name)} are right"
    if axes == plain:
        return f"{numbers}, and in the right order; only their shape is {_shape_of(wrong) or f'not {order(names)}'}."
    if all(sight.mine.shape == tuple(sight.split()[1][axis] for axis in axes) for sight in wrong):
        return f"{numbers}, but its axes are {order(came)} where {order(names)} is asked for."
    if all(sight.mine.shape == sight.want.shape for sight in wrong):
        return (
            f"{numbers}, but stand in the order of {order(came)} and are read as {order(names)}: "
            "they were relabelled where they had to be moved."
        )
    shape = _shape_of(wrong)
    return f"{numbers}, but stand in the order of {order(came)}{f', in the shape {shape}' * bool(shape)}."


def _is_laid_out(sight: Sight, axes: Order) -> bool:
    lengths = sight.split()[1]
    if sight.mine.size != math.prod(lengths):
        return False
    given = sight.mine.reshape([lengths[axis] for axis in axes])
    return sight.fits(np.transpose(given, np.argsort(axes)).reshape(sight.want.shape))


def _recut(name: str, sights: Sights, wrong: Sights, names: tuple[str, ...]) -> str:
    """An axis was cut in two, or put together, in the wrong order."""
    if any(sight.mine.shape != sight.want.shape for sight in wrong):
        return ""
    for came in permutations(range(len(names))):
        for one in range(len(names) - 1):
            meant = (*came[:one], came[one + 1], came[one], *came[one + 2 :])
            if all(_is_recut(sight, came, meant) for sight in wrong):
                first, second = names[came[one]], names[came[one + 1]]
                return (
                    f"{your(name, sights)} right but for one cut: an axis of {second}·{first} numbers is taken as "
                    f"({first}, {second}) where ({second}, {first}) is meant."
                )
    return ""


def _is_recut(sight: Sight, came: Order, meant: Order) -> bool:
    """The learner's numbers laid out in one order, cut in the other, are the expected ones."""
    lengths = sight.split()[1]
    laid = np.transpose(sight.mine.reshape(lengths), came).reshape([lengths[axis] for axis in meant])
    return sight.fits(np.transpose(laid, np.argsort(meant)).reshape(sight.want.shape))


def _shape_of(wrong: Sights) -> str:
    """The shape that came in the names of the axes; "" where it has none that holds in every case."""
    ranks = {sight.mine.ndim for sight in wrong}
    if len(ranks) > 1:
        return ""
    sizes = [sight.probe.sizes for sight in wrong]
    named = []
    for axis in range(ranks.pop()):
        lengths = [sight.mine.shape[axis] for sight in wrong]
        named.append("1" if set(lengths) == {1} else length_of(lengths, sizes))
    return order(named) if all(named) else ""


def shapes(name: str, sights: Sights) -> Iterator[Fact]:
    """A wrong shape in the names of the axes, and the reduction of the expected numbers that gives it."""
    wrong = tuple(sight for sight in sights if sight.mine.shape != sight.want.shape)
    if not wrong:
        return
    names, _ = wrong[0].split()
    enough = all(sight.telling and sight.finite for sight in wrong) and all(
        s.split()[0] == names for s in wrong
    )
    for axis, gone in enumerate(names if enough else ()):
        for said, reduce in _REDUCED:
            if all(_is_reduced(sight, axis, reduce) for sight in wrong):
                yield Fact(WHOLE, "layout", f"{your(name, sights)} the expected one {said.format(gone)}.")
                return
    shape = _shape_of(wrong)
    if shape:
        yield Fact(
            1,
            "layout",
            f"The axes of your {called(name)} are {shape} where {order(wrong[0].axes)} is asked for.",
        )


def _is_reduced(sight: Sight, axis: int, reduce: Callable[[Floats, int], Floats]) -> bool:
    expected = sight.expected
    if expected is None or sight.split()[1][axis] < 2:
        return False
    whole = reduce(expected.reshape(sight.split()[1]), axis)
    return sight.mine.size == whole.size and bool(
        np.abs(sight.mine.ravel() - whole.ravel()).max() <= sight.allowed
    )


_REDUCED: tuple[tuple[str, Callable[[Floats, int], Floats]], ...] = (
    ("added up over {}", lambda array, axis: array.sum(axis)),
    ("averaged over {}", lambda array, axis: array.mean(axis)),
    ("at {} 0 alone", lambda array, axis: np.take(array, 0, axis)),
    ("at the last {} alone", lambda array, axis: np.take(array, -1, axis)),
)


def slices(name: str, sights: Sights) -> Iterator[Fact]:
    """Slices along one axis in another order, or one of them in every place."""
    wrong = wrong_of(sights)
    if not wrong or any(sight.mine.shape != sight.want.shape for sight in wrong):
        return
    names, _ = wrong[0].split()
    for axis, label in enumerate(names if all(sight.split()[0] == names for sight in wrong) else ()):
        said = _moved(wrong, axis, label)
        if said:
            yield Fact(
                WHOLE, "layout", f"{your(name, sights)} right but for the order along {label}: {said}."
            )
            return


def _moved(wrong: Sights, axis: int, label: str) -> str:
    if any(sight.split()[1][axis] < 2 for sight in wrong):
        return ""
    for said, move in _MOVES:
        if all(_is_moved(sight, axis, move) for sight in wrong):
            return said.format(label)
    found = [_sources(sight, axis) for sight in wrong]
    if not all(found):
        return ""
    if all(set(places) == {0} for places in found):
        return f"every {label} holds what belongs to {label} 0"
    if all(set(places) == {len(places) - 1} for places in found):
        return f"every {label} holds what belongs to the last {label}"
    if all(sorted(places) == list(range(len(places))) for places in found):
        where = next(place for place, source in enumerate(found[0]) if place != source)
        return f"{label} {where} holds what belongs to {label} {found[0][where]} (case: {wrong[0].probe.say})"
    return ""


def _is_moved(sight: Sight, axis: int, move: Callable[[int], Any]) -> bool:
    lengths = sight.split()[1]
    moved = np.take(sight.mine.reshape(lengths), move(lengths[axis]), axis)
    return sight.fits(moved.reshape(sight.want.shape))


_MOVES: tuple[tuple[str, Callable[[int], Any]], ...] = (
    ("they run from the last {0} to the first", lambda length: np.arange(length)[::-1]),
    ("each {0} holds what belongs to the one before it", lambda length: np.roll(np.arange(length), -1)),
    ("each {0} holds what belongs to the one after it", lambda length: np.roll(np.arange(length), 1)),
)


def _sources(sight: Sight, axis: int) -> Sequence[int]:
    """For each place along an axis, the one whose expected numbers it holds; () when that is none or several."""
    expected, lengths = sight.expected, sight.split()[1]
    if expected is None:
        return ()
    mine, theirs = (
        np.moveaxis(array.reshape(lengths), axis, 0).reshape(lengths[axis], -1)
        for array in (sight.mine, expected)
    )
    same = np.abs(mine[:, None] - theirs[None]).max(axis=2) <= sight.allowed
    return [int(row.argmax()) for row in same] if bool((same.sum(axis=1) == 1).all()) else ()
