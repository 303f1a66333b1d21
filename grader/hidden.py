"""Expected tensors without their values: signed sums in which any error shows, but no value can be read.

The elements are dealt into groups of at most ten, and each group is summed with random signs; deal and
signs depend on the shape alone. An answer within the tolerance everywhere is off by at most `slack` times
it in every sum, so it never fails. An error of twenty tolerances in one element is seen whatever the
rounding of the other nine, so no error of consequence passes.
"""

from __future__ import annotations

import math
import zlib
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from .transcript import SequenceValue, TensorValue, Value

Floats = NDArray[np.float64]
GROUP = 10  # elements of one sum; fewer would show values, more would hide errors in rounding


@dataclass(frozen=True, slots=True)
class SealedTensor:
    """What is left of a tensor without its values.

    `sums` are the signed sums of its groups; `slices` holds, for each axis, one signed sum an index, so
    that an error's place along every axis can still be told. `largest` is the largest magnitude, `odd`
    the digest of where it is not finite ("" when it is everywhere).
    """

    dtype: str
    shape: tuple[int, ...]
    device: str
    largest: float
    sums: Floats
    slices: tuple[Floats, ...] = ()
    odd: str = ""


Expected = Value | SealedTensor


def seal(value: Expected, places: bool = True) -> Expected:
    """A value without what could be copied from it; only tensors with numbers have something to hide."""
    if isinstance(value, SequenceValue):
        items = tuple(seal(item, places) for item in value.items)
        return replace(value, items=items)  # type: ignore[arg-type]
    if not isinstance(value, TensorValue) or value.array is None:
        return value
    plain = np.asarray(value.array, dtype=np.float64)
    finite = np.where(np.isfinite(plain), plain, 0.0)
    largest = float(np.abs(finite).max(initial=0.0))
    kept = slices(finite) if places else ()
    return SealedTensor(
        value.dtype, value.shape, value.device, largest, sums(finite), kept, odd_places(plain)
    )


def sums(array: Floats) -> Floats:
    """The signed sums of an array's groups: (ceil(size / GROUP),)."""
    order, signs = _deal(array.shape)
    padded = np.zeros(-(-array.size // GROUP) * GROUP)
    padded[: array.size] = (array.ravel() * signs)[order]
    groups: Floats = padded.reshape(GROUP, -1).sum(axis=0)
    return groups


def slack(size: int) -> int:
    """How many tolerances a sum of an array of this size may be off."""
    return max(1, min(size, GROUP))


def slices(array: Floats) -> tuple[Floats, ...]:
    """For each axis, the signed sum over all the others."""
    signed = array * _deal(array.shape)[1].reshape(array.shape)
    axes = range(array.ndim)
    return tuple(signed.sum(axis=tuple(other for other in axes if other != axis)) for axis in axes)


def odd_places(array: Floats) -> str:
    """A digest of where an array is NaN, infinite and minus infinite; "" when it is finite throughout."""
    if np.isfinite(array).all():
        return ""
    kinds = np.where(np.isnan(array), 1, np.where(np.isposinf(array), 2, np.where(np.isneginf(array), 3, 0)))
    return f"{zlib.crc32(kinds.astype(np.uint8).tobytes()):08x}"


@lru_cache(maxsize=256)
def _deal(shape: tuple[int, ...]) -> tuple[NDArray[np.int64], Floats]:
    """The order in which elements are dealt out, and their signs."""
    size = math.prod(shape)
    random = np.random.Generator(np.random.PCG64(zlib.crc32(repr(shape).encode())))
    return random.permutation(size), 2.0 * random.integers(0, 2, size) - 1.0
