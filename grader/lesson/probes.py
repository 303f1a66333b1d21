"""Probes: questions to a guest as plain data, made from a seed before any answer is seen.

A probe is a short script over named tensors: call this name with these, load these weights, give the
gradient of that for those. The guest's side (`grader/worker/perform.py`) carries it out; what is to be
thought of the answers stands nowhere in it.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from grader.worker.wire import Blob

Array = NDArray[np.generic]
Op = Mapping[str, object]
ELSEWHERE = "portable"  # the second device that needs no hardware
GRID = 64  # inputs are whole multiples of 1/64 below 2, so every dtype down to bfloat16 holds them exactly


@dataclass(frozen=True, slots=True)
class Probe:
    """One question: tensors, a script over them, and which of its values come home.

    `tags` say what it shows (checks choose by them); `say` tells a person in words; `axes` names the axes
    of reported tensors; `sizes` gives the axes' lengths; `tolerance` overrides the dtype's (with the
    reason in `why`). `names` are numbers that a refusal has to name. `core` probes show what a mistake is; on
    the others (extremes, dtypes, lifetimes) styles of one mistake may differ. `again` asks for it twice, in
    two processes. `of_dtype` probes ask about their dtype, and are never asked in another. What passes between steps
    at a `heavy` one is too much to be carried between processes.
    """

    id: str
    step: str
    tags: frozenset[str]
    say: str
    tensors: Mapping[str, Array]
    script: tuple[Op, ...]
    report: tuple[str, ...]
    dtype: str = "float64"
    device: str = "cpu"
    axes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    sizes: Mapping[str, int] = field(default_factory=dict)
    grads: frozenset[str] = frozenset()
    strided: frozenset[str] = frozenset()
    tolerance: float | None = None
    why: str = ""
    count: bool = False
    again: bool = False
    diagnose: bool = True
    core: bool = True
    names: tuple[int, ...] = ()
    of_dtype: bool = False
    heavy: bool = False

    @property
    def judged(self) -> bool:
        """Whether its values are compared; a counting probe only tells how much is done."""
        return not self.count

    @property
    def back(self) -> tuple[str, ...]:
        """The inputs that come back after the call, where it is asked whether they stay as they are."""
        return tuple(sorted(self.tensors)) if "untouched" in self.tags and self.device != ELSEWHERE else ()

    def letter(self) -> dict[str, object]:
        """What travels to the guest's side; nothing here tells which check asks."""
        return {
            "id": self.id,
            "tensors": {name: blob(array) for name, array in self.tensors.items()},
            "do": [dict(step) for step in self.script],
            "report": list(self.report),
            "back": list(self.back),
            "dtype": self.dtype,
            "device": self.device,
            "grads": sorted(self.grads),
            "strided": sorted(self.strided),
            "count": self.count,
        }


def blob(array: Array) -> Blob:
    """A numpy array (float64, int64 or bool) as a wire tensor."""
    return Blob(_name(array.dtype), array.shape, np.ascontiguousarray(array).tobytes())


@functools.cache
def _name(dtype: np.dtype[np.generic]) -> str:
    """A dtype's name: numpy makes it anew each time, which takes longer than the bytes."""
    return str(dtype)


def ref(name: str) -> dict[str, object]:
    """An argument that stands for the value `name`."""
    return {"ref": name}


def call(name: str, *args: object, to: str | Sequence[str], **kwargs: object) -> Op:
    """Call the guest's `name`; a str argument is a value's name, wrap text or numbers as they are."""
    return {"op": "call", "of": {"name": name}, "args": _refs(args), "kwargs": _named(kwargs), "to": _to(to)}


def call_value(value: str, *args: object, to: str | Sequence[str], **kwargs: object) -> Op:
    """Call a value of the script, a module made before for instance."""
    return {"op": "call", "of": {"ref": value}, "args": _refs(args), "kwargs": _named(kwargs), "to": _to(to)}


def call_torch(name: str, *args: object, to: str | Sequence[str], **kwargs: object) -> Op:
    """Call something of torch by its dotted name below `torch`."""
    return {"op": "call", "of": {"torch": name}, "args": _refs(args), "kwargs": _named(kwargs), "to": _to(to)}


def load(into: str, weights: Mapping[str, str], fused: Mapping[str, Sequence[str]]) -> Op:
    """Pour named weights (formula orientation) into a module, as it keeps them."""
    return {
        "op": "load",
        "into": into,
        "weights": dict(weights),
        "fused": {k: list(v) for k, v in fused.items()},
    }


def gradient(
    of: Mapping[str, str],
    wrt: Sequence[str],
    module: str | None = None,
    weights: Sequence[str] = (),
    fused: Mapping[str, Sequence[str]] | None = None,
) -> Op:
    """Gradients of the sum of `value * cotangent` over `of`; they are named `d_<input>`, `d_<weight>`."""
    return {
        "op": "grad",
        "of": list(of),
        "with": list(of.values()),
        "wrt": list(wrt),
        "weights_of": module,
        "weights": list(weights),
        "fused": {k: list(v) for k, v in (fused or {}).items()},
    }


def learn(of: Mapping[str, str], module: str, rate: float) -> Op:
    """A step of gradient descent on the sum of `value * cotangent` over `of`, through `module.parameters()`."""
    return {"op": "learn", "of": list(of), "with": list(of.values()), "module": module, "rate": rate}


def op(name: str, **fields: object) -> Op:
    """Any other operation of the guest's side, by its name."""
    return {"op": name, **fields}


def _to(to: str | Sequence[str]) -> str | list[str]:
    return to if isinstance(to, str) else list(to)


def _refs(args: Iterable[object]) -> list[object]:
    return [ref(item) if isinstance(item, str) else item for item in args]


def _named(kwargs: Mapping[str, object]) -> dict[str, object]:
    return {key: ref(item) if isinstance(item, str) else item for key, item in kwargs.items()}


class Draw:
    """Seeded inputs on the grid: the same seed and key give the same values on every machine."""

    def __init__(self, seed: int, *key: str) -> None:
        words = [int.from_bytes(part.encode(), "big") for part in key]
        self._random = np.random.Generator(np.random.PCG64(np.random.SeedSequence([seed, *words])))

    def normal(self, *shape: int, scale: float = 1.0) -> NDArray[np.float64]:
        """Values near a normal distribution, clipped below 2, whole multiples of 1/64."""
        values = np.clip(self._random.standard_normal(shape) * scale, -1.98, 1.98)
        return np.round(values * GRID) / GRID

    def whole(self, low: int, high: int, *shape: int) -> NDArray[np.int64]:
        """Whole numbers from low to high, high excluded."""
        return self._random.integers(low, high, shape)

    def keep(self, *shape: int, share: float = 0.6) -> NDArray[np.bool_]:
        """A mask, True with probability `share`; every row of the last axis has a True and a False."""
        mask = self._random.random(shape) < share
        if shape[-1] < 2:
            return np.ones(shape, dtype=np.bool_)
        rows = mask.reshape(-1, shape[-1])
        for row in rows:
            first, second = self._random.choice(shape[-1], 2, replace=False)
            row[first], row[second] = True, False
        return rows.reshape(shape)

    def pick(self, *choices: int) -> int:
        """One of the choices."""
        return int(choices[int(self._random.integers(len(choices)))])
