"""A digest of a tensor that any answer within the tolerance opens, and that tells nobody an answer.

Sums with public weights alone can be solved for: they are linear, and any tensor that gives them passes. So the
elements are also dealt into at most sixteen other groups. Each group's sum is counted in steps as wide as twice the
most that an answer within the tolerance can be off, from where the expected sum stands in the middle of a step; of the
sixteen counts only a digest is kept. An answer within the tolerance everywhere is off by less than half a step in
every sum, so its counts are the expected ones, always. Whoever has no answer has to guess all sixteen at once.
"""

from __future__ import annotations

import hashlib
import math
import zlib
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
GROUPS = 16
HUGE = 1e30  # as in the sums: magnitudes beyond it count as it
LEAST = 0.75  # magnitude of a weight
WIDE = 2.125  # of what an answer may be off: a step, with room for the offsets' own rounding
PLACES = 256  # an offset is kept in so many parts of a step
DIGEST = 16  # bytes
ROUNDING = 1 / 128  # of a step: what adding up may be off, at most
MOST = 2.0**62  # counts beyond it are no whole numbers of 64 bits


@dataclass(frozen=True, slots=True)
class Lock:
    """`offsets` say where each group's steps begin, in parts of a step; `digest` is of all counts together."""

    offsets: bytes
    digest: bytes


def locked(array: Floats, allowed: float, salt: str) -> Lock | None:
    """The lock of finite expected values, where each may be off by `allowed`; None where rounding could decide."""
    if not array.size or not allowed > 0:
        return None
    step = _steps(array.shape, allowed)
    counted = _sums(array) / step
    order, weights = _deal(array.shape)
    added = _by_group((np.abs(np.clip(array, -HUGE, HUGE)).ravel() * np.abs(weights))[order]) / step
    if not (added * array.size * np.finfo(np.float64).eps < ROUNDING).all():
        return None
    offsets = np.floor((counted - np.floor(counted)) * PLACES).astype(np.uint8)
    return Lock(offsets.tobytes(), _digest(_counts(counted, offsets), salt))


def opens(lock: Lock, array: Floats, allowed: float, salt: str) -> bool:
    """Whether these finite values, of the locked ones' shape, open it."""
    offsets = np.frombuffer(lock.offsets, dtype=np.uint8)
    counted = _sums(array) / _steps(array.shape, allowed)
    if offsets.size != counted.size or not (np.abs(counted) < MOST).all():
        return False
    return _digest(_counts(counted, offsets), salt) == lock.digest


def _counts(counted: Floats, offsets: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Whole steps from the offsets on; an expected sum lies within 1/512 of a step of a step's middle."""
    counts: NDArray[np.int64] = np.round(counted - (offsets.astype(np.float64) + 0.5) / PLACES).astype(
        np.int64
    )
    return counts


def _digest(counts: NDArray[np.int64], salt: str) -> bytes:
    return hashlib.blake2b(
        counts.astype("<i8").tobytes(), digest_size=DIGEST, key=salt.encode()[-64:]
    ).digest()


def _steps(shape: tuple[int, ...], allowed: float) -> Floats:
    order, weights = _deal(shape)
    return _by_group(np.abs(weights)[order]) * (allowed * WIDE)


def _sums(array: Floats) -> Floats:
    order, weights = _deal(array.shape)
    return _by_group((np.clip(array, -HUGE, HUGE).ravel() * weights)[order])


def _by_group(dealt: Floats) -> Floats:
    """The sums of groups whose sizes differ by one at most: (min(size, GROUPS),)."""
    count = min(dealt.size, GROUPS)
    padded = np.zeros(math.ceil(dealt.size / count) * count)
    padded[: dealt.size] = dealt
    groups: Floats = padded.reshape(-1, count).sum(axis=0)
    return groups


@lru_cache(maxsize=256)
def _deal(shape: tuple[int, ...]) -> tuple[NDArray[np.int64], Floats]:
    """The order in which elements are dealt out, and their weights: others than those of the sums."""
    size = math.prod(shape)
    random = np.random.Generator(np.random.PCG64([zlib.crc32(repr(shape).encode()), GROUPS]))
    signs = 2.0 * random.integers(0, 2, size) - 1.0
    return random.permutation(size), np.asarray(signs * random.uniform(LEAST, 1.0, size), dtype=np.float64)
