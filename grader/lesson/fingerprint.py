"""Expected tensors without their values: weighted sums in which any error shows, but no value can be read.

The elements are dealt into groups of at most eight, and each group is summed with weights between 3/4 and
1, of random sign; deal and weights depend on the shape alone. An answer within the tolerance everywhere is
off by at most `slack` times it in every sum, so it never fails. An error of twenty tolerances in one
element is seen whatever the rounding of the other seven. Equal errors in all elements, or two elements
exchanged, do not cancel, because no two weights are alike. That holds for mistakes; who means to satisfy the sums can
solve for them, and meets the lock beside them.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from .answers import SequenceValue, TensorValue, Value
from .lock import Lock, locked

Floats = NDArray[np.float64]
GROUP = 8  # elements of one sum; fewer would show values, more would hide errors in rounding
HUGE = 1e30  # magnitudes beyond it count as it, so that no sum overflows, in float32 either
LEAST = 0.75  # magnitude of a weight


@dataclass(frozen=True, slots=True)
class SealedTensor:
    """What is left of a tensor without its values.

    `sums` are the weighted sums of its groups; `slices` holds, for each axis, one such sum an index, so
    that an error's place along every axis can still be told. `largest` is the largest magnitude, `odd`
    the digest of where it is not finite ("" when it is everywhere). `lock` is there for expected values.
    """

    dtype: str
    shape: tuple[int, ...]
    device: str
    largest: float
    sums: Floats
    slices: tuple[Floats, ...] = ()
    odd: str = ""
    lock: Lock | None = None


Expected = Value | SealedTensor


def seal(
    value: Expected,
    places: bool = True,
    most: int | None = None,
    allowed: Callable[[float], float] | None = None,
    salt: str = "",
) -> Expected:
    """A value without what could be copied from it; only tensors with numbers have something to hide.

    `places` keeps what tells an error's place; of more than `most` sums, several are added up to one. With `allowed`,
    the tolerance by the largest magnitude, it is locked, too.
    """
    if isinstance(value, SequenceValue):
        items = tuple(seal(item, places, most, allowed, salt) for item in value.items)
        return replace(value, items=items)  # type: ignore[arg-type]  # what is sealed stands where a value stood
    if not isinstance(value, TensorValue) or value.array is None:
        return value
    plain = np.asarray(value.array, dtype=np.float64)
    finite = np.where(np.isfinite(plain), plain, 0.0)
    largest = float(np.abs(finite).max(initial=0.0))
    kept = slices(finite) if places else ()
    odd = odd_places(plain)
    lock = locked(finite, allowed(largest), salt) if allowed is not None and not odd else None
    return SealedTensor(
        value.dtype, value.shape, value.device, largest, folded(sums(finite), most), kept, odd, lock
    )


def sums(array: Floats) -> Floats:
    """The weighted sums of an array's groups: (ceil(size / GROUP),)."""
    order, weights = _deal(array.shape)
    return _by_group((np.clip(array, -HUGE, HUGE).ravel() * weights)[order])


def slack(shape: tuple[int, ...]) -> Floats:
    """How many tolerances each sum of an array of this shape may be off: (ceil(size / GROUP),)."""
    order, weights = _deal(shape)
    return _by_group(np.abs(weights)[order])


def folded(sums: Floats, most: int | None) -> Floats:
    """At most so many sums, each of several of these: (min(len(sums), most),)."""
    if most is None or sums.size <= most:
        return sums
    rows = math.ceil(sums.size / most)
    padded = np.zeros(rows * most)
    padded[: sums.size] = sums
    added: Floats = padded.reshape(rows, most).sum(axis=0)
    return added


def slices(array: Floats) -> tuple[Floats, ...]:
    """For each axis, the weighted sum over all the others."""
    weighted = np.clip(array, -HUGE, HUGE) * _deal(array.shape)[1].reshape(array.shape)
    axes = range(array.ndim)
    return tuple(weighted.sum(axis=tuple(other for other in axes if other != axis)) for axis in axes)


def odd_places(array: Floats) -> str:
    """A digest of where an array is NaN, infinite and minus infinite; "" when it is finite throughout."""
    if np.isfinite(array).all():
        return ""
    kinds = np.where(np.isnan(array), 1, np.where(np.isposinf(array), 2, np.where(np.isneginf(array), 3, 0)))
    return f"{zlib.crc32(kinds.astype(np.uint8).tobytes()):08x}"


def _by_group(dealt: Floats) -> Floats:
    count = math.ceil(dealt.size / GROUP)
    padded = np.zeros(count * GROUP)
    padded[: dealt.size] = dealt
    groups: Floats = padded.reshape(GROUP, count).sum(axis=0)
    return groups


@lru_cache(maxsize=256)
def _deal(shape: tuple[int, ...]) -> tuple[NDArray[np.int64], Floats]:
    """The order in which elements are dealt out, and their weights."""
    size = math.prod(shape)
    random = np.random.Generator(np.random.PCG64(zlib.crc32(repr(shape).encode())))
    signs = 2.0 * random.integers(0, 2, size) - 1.0
    return random.permutation(size), np.asarray(signs * random.uniform(LEAST, 1.0, size), dtype=np.float64)
