"""Compares an answer's value with the expected one, in float64, at a tolerance that can be argued with.

The expected side is either the reference's own answer or, where the reference is absent, a sealed one:
its shape, its norm and random projections of it, along which any error shows but no value can be read.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from .figures import HeatMap, heat_maps
from .probes import Probe
from .transcript import FigureValue, OtherValue, SequenceValue, TensorValue, Value

Floats = NDArray[np.float64]
PROJECTIONS = 6  # of a sealed value: 2**-6 would be the chance to miss an error if signs alone decided
LOW = ("bfloat16", "float16")


@dataclass(frozen=True, slots=True)
class Precision:
    """Relative error allowed for one operation's result in a dtype, and why."""

    error: float
    why: str


PRECISIONS: Mapping[str, Precision] = {
    "float64": Precision(32 * 2.0**-23, "a softmax inside float32 is a right style, so float32's rounding is allowed"),
    "float32": Precision(256 * 2.0**-23, "measured: right styles differ by up to 3e-5 in values and gradients"),
    "bfloat16": Precision(4 * 2.0**-7, "8 bits a number; projections, scores, weights and sum each round once"),
    "float16": Precision(8 * 2.0**-10, "11 bits a number; projections, scores, weights and sum each round once"),
}


@dataclass(frozen=True, slots=True)
class Tolerance:
    """An absolute tolerance for one value, with the reason it has this size."""

    absolute: float
    why: str


@dataclass(frozen=True, slots=True)
class SealedTensor:
    """What is left of an expected tensor without its values.

    `projections` are sums with random signs over the whole; `slices` holds, for each axis, one such sum an
    index, so that an error's place along every axis can still be told. `largest` is the largest magnitude.
    """

    dtype: str
    shape: tuple[int, ...]
    largest: float
    projections: Floats
    slices: tuple[Floats, ...]


Expected = Value | SealedTensor


@dataclass(frozen=True, slots=True)
class Difference:
    """How a value departs from the expected one: which kind, and in words (expected first)."""

    kind: str
    text: str


def tolerance(probe: Probe, largest: float) -> Tolerance:
    """The tolerance for a value of this probe whose largest expected magnitude is `largest`.

    Rounding errors of a sum of n terms grow like sqrt(n); n is the probe's longest axis.
    """
    scale = max(1.0, largest)
    if probe.tolerance is not None:
        return Tolerance(probe.tolerance * scale, probe.why)
    precision = PRECISIONS[probe.dtype]
    longest = max(probe.sizes.values(), default=1)
    return Tolerance(precision.error * math.sqrt(longest) * scale, precision.why)


def difference(probe: Probe, name: str, want: Expected, got: Value) -> Difference | None:
    """None when `got` is the expected value; otherwise how it departs, shape first, then the worst place."""
    if isinstance(want, TensorValue | SealedTensor):
        return _tensor(probe, name, want, got)
    if isinstance(want, SequenceValue):
        if not isinstance(got, SequenceValue) or got.length != want.length:
            return Difference("type", f"expected {say(want)}, got {say(got)}")
        pairs = zip(want.items, got.items, strict=False)
        found = (difference(probe, f"{name}[{i}]", w, g) for i, (w, g) in enumerate(pairs))
        return next((item for item in found if item is not None), None)
    if isinstance(want, FigureValue):
        return _figure(probe, want, got)
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
        return f"a figure with {len(heat_maps(value))} heat maps"
    if isinstance(value, OtherValue):
        return value.say or value.type
    if isinstance(value, str):
        return f"the text {value!r}"[:100]
    return "None" if value is None else f"{type(value).__name__} {value}"


def axes_of(probe: Probe, name: str, shape: Sequence[int]) -> str:
    """`(B, h, Tq, d_k) = (2, 3, 5, 4)` where the axes have names, else the bare shape."""
    names = probe.axes.get(name)
    plain = f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"
    return f"({', '.join(names)}) = {plain}" if names and len(names) == len(shape) else plain


def _tensor(probe: Probe, name: str, want: TensorValue | SealedTensor, got: Value) -> Difference | None:
    if not isinstance(got, TensorValue):
        return Difference("type", f"expected a tensor of shape {axes_of(probe, name, want.shape)}, got {say(got)}")
    if got.shape != want.shape:
        named = _renamed(probe, name, want.shape, got.shape)
        return Difference("shape", f"expected shape {axes_of(probe, name, want.shape)}, got {got.shape}{named}")
    floating = want.dtype.startswith(("float", "bfloat"))
    wanted = probe.dtype if floating else want.dtype
    if got.dtype != wanted:
        return Difference("dtype", f"expected dtype {wanted} (the inputs' dtype), got {got.dtype}")
    if got.array is None:
        return Difference("device", f"expected values on the CPU, got a tensor on {got.device}")
    plain = np.asarray(got.array, dtype=np.float64)
    if not np.isfinite(plain).all():
        where = tuple(int(n) for n in np.argwhere(~np.isfinite(plain))[0])
        what = "NaN" if np.isnan(plain).any() else "infinite values"
        return Difference("nan", f"expected finite numbers, got {what}, first at {_place(probe, name, where)}")
    if isinstance(want, SealedTensor):
        return _sealed(probe, name, want, plain)
    return _values(probe, name, np.asarray(want.array, dtype=np.float64), plain)


def _values(probe: Probe, name: str, want: Floats, got: Floats) -> Difference | None:
    allowed = tolerance(probe, float(np.abs(want).max(initial=0.0)))
    off = np.abs(got - want)
    if not off.size or float(off.max()) <= allowed.absolute:
        return None
    worst = tuple(int(n) for n in np.unravel_index(int(off.argmax()), off.shape))
    count = int((off > allowed.absolute).sum())
    return Difference(
        "values",
        f"differs most at {_place(probe, name, worst)}: expected {number(want[worst])}, got {number(got[worst])} "
        f"({count} of {off.size} numbers are off by more than {number(allowed.absolute)})",
    )


def _sealed(probe: Probe, name: str, want: SealedTensor, got: Floats) -> Difference | None:
    allowed = tolerance(probe, want.largest)
    if not got.size:
        return None
    signs = _signs(want.shape)
    off = np.abs(signs @ got.ravel() - want.projections)
    # A sum of n errors of at most `allowed` with random signs stays below allowed * sqrt(n) * 6, or far above.
    if float(off.max()) <= allowed.absolute * 3.0 * math.sqrt(got.size):
        return None
    kept = [np.abs(mine - theirs) for mine, theirs in zip(slices(got, signs[0]), want.slices, strict=True)]
    worst = tuple(int(axis.argmax()) for axis in kept)
    return Difference("values", f"differs most around {_place(probe, name, worst)}, where you have {number(got[worst])}")


def same_value(probe: Probe, one: Value, two: Expected) -> bool:
    """Whether a learner's value is a known mistake's value: as alike as the dtype lets them be."""
    if isinstance(one, TensorValue) and isinstance(two, TensorValue):
        if (one.shape, one.dtype, one.device) != (two.shape, two.dtype, two.device):
            return False
        if one.array is None or two.array is None:
            return one.array is two.array
        return _same_array(probe, np.asarray(one.array, np.float64), np.asarray(two.array, np.float64))
    if isinstance(one, SequenceValue) and isinstance(two, SequenceValue):
        if all(isinstance(item, str) for item in (*one.items, *two.items)):
            return (one.length > 0) == (two.length > 0)
        pairs = zip(one.items, two.items, strict=False)
        return one.length == two.length and all(same_value(probe, a, b) for a, b in pairs)
    if isinstance(one, FigureValue) and isinstance(two, FigureValue):
        mine, theirs = heat_maps(one), heat_maps(two)
        return len(mine) == len(theirs) and all(_alike(a, b) for a, b in zip(mine, theirs, strict=True))
    if isinstance(one, OtherValue) and isinstance(two, OtherValue):
        return one.type == two.type
    return type(one) is type(two) and one == two


def _same_array(probe: Probe, one: Floats, two: Floats) -> bool:
    odd = ~np.isfinite(one)
    if not np.array_equal(odd, ~np.isfinite(two)) or not np.array_equal(one[odd], two[odd], equal_nan=True):
        return False
    largest = float(np.abs(two[~odd]).max(initial=0.0))
    return bool((np.abs(one[~odd] - two[~odd]) <= tolerance(probe, largest).absolute).all())


def seal(value: TensorValue) -> SealedTensor | TensorValue:
    """A tensor without its values; one without data (on another device) stays as it is."""
    if value.array is None:
        return value
    plain = np.asarray(value.array, dtype=np.float64)
    signs = _signs(value.shape)
    largest = float(np.abs(plain).max(initial=0.0))
    return SealedTensor(value.dtype, value.shape, largest, signs @ plain.ravel(), slices(plain, signs[0]))


def slices(array: Floats, signs: Floats) -> tuple[Floats, ...]:
    """For each axis, the signed sum over all the others."""
    signed = array * signs.reshape(array.shape)
    axes = range(array.ndim)
    return tuple(signed.sum(axis=tuple(other for other in axes if other != axis)) for axis in axes)


@lru_cache(maxsize=256)
def _signs(shape: tuple[int, ...]) -> Floats:
    size = math.prod(shape)
    key = zlib.crc32(repr(shape).encode())
    draws = np.random.Generator(np.random.PCG64(key)).integers(0, 2, (PROJECTIONS, size))
    return (2.0 * draws - 1.0).astype(np.float64)


def _figure(probe: Probe, want: FigureValue, got: Value) -> Difference | None:
    if not isinstance(got, FigureValue):
        return Difference("type", f"expected a matplotlib Figure, got {say(got)}")
    mine, theirs = heat_maps(got), heat_maps(want)
    if len(mine) != len(theirs):
        return Difference("figure", f"expected {len(theirs)} heat maps, got {len(mine)}")
    if all(_alike(a, b) for a, b in zip(mine, theirs, strict=True)):
        return None
    return Difference("figure", "the heat maps are not those expected")


def _alike(one: HeatMap, two: HeatMap) -> bool:
    same = one.array.shape == two.array.shape and np.allclose(one.array, two.array, atol=1e-4)
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
