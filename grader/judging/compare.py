"""Compares an answer's value with the expected one, in float64, at a tolerance that can be argued with.

The expected side is either the reference's own answer or, where the reference is absent, a sealed one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from grader.core.own_words import own
from grader.lesson.answers import FigureValue, OtherValue, SequenceValue, TensorValue, Value
from grader.lesson.fingerprint import (
    Expected,
    Floats,
    SealedTensor,
    folded,
    odd_places,
    seal,
    slack,
    slices,
    sums,
)
from grader.lesson.heat_maps import HeatMap, heat_maps
from grader.lesson.lock import opens
from grader.lesson.probes import Probe

from .tolerance import tolerance

ROUNDING = 1 + 1e-6  # of adding up what is exactly at the tolerance


@dataclass(frozen=True, slots=True)
class Difference:
    """How a value departs from the expected one: which kind, and in words (expected first)."""

    kind: str
    text: str


def difference(probe: Probe, name: str, want: Expected, got: Expected) -> Difference | None:
    """None when `got` is the expected value; otherwise how it departs, shape first, then the worst place."""
    if isinstance(got, SealedTensor):
        return _between_sealed(probe, want, got)
    if isinstance(want, TensorValue | SealedTensor):
        return _tensor(probe, name, want, got)
    if isinstance(want, SequenceValue):
        if not isinstance(got, SequenceValue) or got.length != want.length:
            return Difference("type", f"expected {say(want)}, got {say(got)}")
        pairs = zip(want.items, got.items, strict=False)
        for i, (one, other) in enumerate(pairs):
            off = difference(probe, f"{name}[{i}]", one, other)
            if off is not None:
                return Difference(off.kind, f"item {i}: {off.text}")
        return None
    if isinstance(want, FigureValue):
        return _figure(want, got)
    if isinstance(want, OtherValue):
        same = isinstance(got, OtherValue) and got.type == want.type
        return None if same else Difference("type", f"expected {say(want)}, got {say(got)}")
    if type(got) is type(want) and got == want:
        return None
    return Difference("value", f"expected {say(want)}, got {say(got)}")


def say(value: Expected) -> str:
    """A value in a few words."""
    if isinstance(value, TensorValue | SealedTensor):
        return f"a tensor of shape {value.shape}"
    if isinstance(value, SequenceValue):
        return f"a {value.kind} of {value.length}"
    if isinstance(value, FigureValue):
        return f"a figure with {_count(heat_maps(value), 'heat map')}"
    if isinstance(value, OtherValue):
        return own(value.say or value.type)
    if isinstance(value, str):
        return f"the text {own(repr(value)[:91])}"
    return "None" if value is None else f"{type(value).__name__} {value}"


def axes_of(probe: Probe, name: str, shape: Sequence[int]) -> str:
    """`(B, h, Tq, d_k) = (2, 3, 5, 4)` where the axes have names, else the bare shape."""
    names = probe.axes.get(name)
    plain = f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"
    return f"({', '.join(names)}) = {plain}" if names and len(names) == len(shape) else plain


def _tensor(probe: Probe, name: str, want: TensorValue | SealedTensor, got: Value) -> Difference | None:
    if not isinstance(got, TensorValue):
        return Difference(
            "type", f"expected a tensor of shape {axes_of(probe, name, want.shape)}, got {say(got)}"
        )
    if got.shape != want.shape:
        named = _renamed(probe, name, want.shape, got.shape)
        return Difference(
            "shape", f"expected shape {axes_of(probe, name, want.shape)}, got {got.shape}{named}"
        )
    floating, wanted = _dtype(probe, want)
    if got.dtype != wanted:
        reason = " (the inputs' dtype)" if floating else ""
        return Difference("dtype", f"expected dtype {wanted}{reason}, got {got.dtype}")
    if got.array is None:
        return Difference("device", f"expected values on the CPU, got a tensor on {own(got.device)}")
    plain = np.asarray(got.array, dtype=np.float64)
    if not np.isfinite(plain).all():
        missing = np.isnan(plain)
        where = tuple(int(n) for n in np.argwhere(missing if missing.any() else np.isinf(plain))[0])
        what = "NaN" if missing.any() else "infinite values"
        return Difference(
            "nan", f"expected finite numbers, got {what}, first at {_place(probe, name, where)}"
        )
    if isinstance(want, SealedTensor):
        return _sealed(probe, name, want, plain)
    return _values(probe, name, np.asarray(want.array, dtype=np.float64), plain)


def _values(probe: Probe, name: str, want: Floats, got: Floats) -> Difference | None:
    allowed = tolerance(probe, float(np.abs(want).max(initial=0.0)))
    off = np.abs(got - want)
    if not off.size or float(off.max()) <= allowed.absolute:
        return None
    worst = tuple(int(n) for n in np.unravel_index(int(off.argmax()), off.shape))
    place, wanted, given = _place(probe, name, worst), number(want[worst]), number(got[worst])
    count = int((off > allowed.absolute).sum())
    are = "is" if count == 1 else "are"
    return Difference(
        "values",
        f"differs most at {place}: expected {wanted}, got {given} "
        f"({count} of {off.size} numbers {are} off by more than {number(allowed.absolute)})",
    )


def _sealed(probe: Probe, name: str, want: SealedTensor, got: Floats) -> Difference | None:
    if _within(probe, want, sums(got)):
        allowed = tolerance(probe, want.largest).absolute
        if want.lock is None or opens(want.lock, got, allowed, probe.id):
            return None
        return Difference("values", "the numbers add up as expected, and are others than expected")
    kept = [np.abs(mine - theirs) for mine, theirs in zip(slices(got), want.slices, strict=True)]
    worst = tuple(int(axis.argmax()) for axis in kept)
    return Difference(
        "values", f"differs most around {_place(probe, name, worst)}, where you have {number(got[worst])}"
    )


def _between_sealed(probe: Probe, want: Expected, got: SealedTensor) -> Difference | None:
    """Whether a known mistake's sealed answer is right; nobody reads the words."""
    hidden = seal(want, places=False)
    if not isinstance(hidden, SealedTensor) or (hidden.shape, hidden.odd) != (got.shape, got.odd):
        return Difference("sealed", f"not {say(want)}")
    right = got.dtype == _dtype(probe, hidden)[1] and _within(probe, hidden, got.sums)
    return None if right else Difference("sealed", f"not {say(want)}")


def _within(probe: Probe, want: SealedTensor, mine: Floats) -> bool:
    """Whether these sums may be those of an answer that is right everywhere."""
    count = min(mine.size, want.sums.size)
    allowed = tolerance(probe, want.largest).absolute * folded(slack(want.shape), count) * ROUNDING
    return bool((np.abs(folded(mine, count) - folded(want.sums, count)) <= allowed).all())


def _dtype(probe: Probe, want: TensorValue | SealedTensor) -> tuple[bool, str]:
    """Whether the dtype follows the inputs, and which it has to be."""
    floating = want.dtype.startswith(("float", "bfloat"))
    return floating, probe.dtype if floating else want.dtype


def same_value(probe: Probe, one: Value, two: Expected) -> bool:
    """Whether a learner's value is a known mistake's value: as alike as the dtype lets them be."""
    if isinstance(one, TensorValue) and isinstance(two, TensorValue | SealedTensor):
        if (one.shape, one.dtype, one.device) != (two.shape, two.dtype, two.device):
            return False
        mine = None if one.array is None else np.asarray(one.array, np.float64)
        if isinstance(two, SealedTensor):
            return (
                mine is not None and odd_places(mine) == two.odd and _within(probe, two, sums(_finite(mine)))
            )
        if mine is None or two.array is None:
            return mine is two.array
        return _same_array(probe, mine, np.asarray(two.array, np.float64))
    if isinstance(one, SequenceValue) and isinstance(two, SequenceValue):
        if all(isinstance(item, str) for item in (*one.items, *two.items)):
            return _kind(one) == _kind(two)
        pairs = zip(one.items, two.items, strict=False)
        return one.length == two.length and all(same_value(probe, a, b) for a, b in pairs)
    if isinstance(one, FigureValue) and isinstance(two, FigureValue):
        mine_maps, theirs = heat_maps(one), heat_maps(two)
        return len(mine_maps) == len(theirs) and all(
            _alike(a, b) for a, b in zip(mine_maps, theirs, strict=True)
        )
    if isinstance(one, OtherValue) and isinstance(two, OtherValue):
        return one.type == two.type
    return type(one) is type(two) and one == two


def _kind(names: SequenceValue) -> str:
    """What kind of names a list holds: none, biases only, or others; how they are called is the learner's own."""
    if not names.length:
        return ""
    return "biases" if all(str(name).endswith("bias") for name in names.items) else "others"


def _same_array(probe: Probe, one: Floats, two: Floats) -> bool:
    odd = ~np.isfinite(one)
    if not np.array_equal(odd, ~np.isfinite(two)) or not np.array_equal(one[odd], two[odd], equal_nan=True):
        return False
    largest = float(np.abs(two[~odd]).max(initial=0.0))
    return bool((np.abs(one[~odd] - two[~odd]) <= tolerance(probe, largest).absolute).all())


def _finite(array: Floats) -> Floats:
    return np.where(np.isfinite(array), array, 0.0)


def _figure(want: FigureValue, got: Value) -> Difference | None:
    if not isinstance(got, FigureValue):
        return Difference("type", f"expected a matplotlib Figure, got {say(got)}")
    mine, theirs = heat_maps(got), heat_maps(want)
    if len(mine) != len(theirs):
        return Difference("figure", f"expected {_count(theirs, 'heat map')}, got {len(mine)}")
    if all(_alike(a, b) for a, b in zip(mine, theirs, strict=True)):
        return None
    return Difference("figure", "the heat maps are not those expected")


def _alike(one: HeatMap, two: HeatMap) -> bool:
    same = one.array.shape == two.array.shape and np.allclose(one.array, two.array, atol=1e-4, equal_nan=True)
    return bool(same) and one.x == two.x and one.y == two.y and one.numbers == two.numbers


def _renamed(probe: Probe, name: str, want: Sequence[int], got: Sequence[int]) -> str:
    """` = (B, T, h, d_k)` when the axes that came are the expected ones in another order."""
    names = probe.axes.get(name)
    if not names or len(names) != len(want) or len(set(want)) != len(want) or sorted(got) != sorted(want):
        return ""
    by_size = dict(zip(want, names, strict=True))
    return f" = ({', '.join(by_size[n] for n in got)})"


def _place(probe: Probe, name: str, index: Sequence[int]) -> str:
    names = probe.axes.get(name)
    if names and len(names) == len(index):
        return "[" + ", ".join(f"{axis} {n}" for axis, n in zip(names, index, strict=True)) + "]"
    return str(list(index))


def number(value: float) -> str:
    """A number as a person reads it: four significant digits."""
    return f"{float(value):.4g}"


def _count(things: Sequence[object], name: str) -> str:
    return f"{len(things)} {name}{'' if len(things) == 1 else 's'}"
