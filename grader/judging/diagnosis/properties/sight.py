"""What can be looked at: a learner's tensors beside the expected ones, in the probes of full precision."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from grader.judging.compare import difference
from grader.judging.diagnosis.suspect import Suspect
from grader.judging.tolerance import tolerance
from grader.lesson.answers import Answer, TensorValue
from grader.lesson.fingerprint import Expected, Floats, SealedTensor
from grader.lesson.probes import Probe

EXACT, SINGLE = "float64", "float32"
GRADIENT = "d_"  # what the names of gradients begin with
LEAST = 1e-3  # of the largest expected magnitude, for the same reason
TELLING = 8  # numbers from which on agreement is no accident


@dataclass(frozen=True, slots=True)
class Sight:
    """One tensor of one answer, its axes' names, and whether it is the expected one.

    `expected` has the expected numbers, None where they are sealed; `allowed` is how far a number may be from
    its own, `finite` whether all of the learner's are numbers. `telling` ones have enough numbers, not all
    zero, for agreement to mean something.
    """

    probe: Probe
    name: str
    axes: tuple[str, ...]
    want: TensorValue | SealedTensor
    mine: Floats
    expected: Floats | None
    allowed: float
    right: bool
    finite: bool
    telling: bool

    def fits(self, array: Floats) -> bool:
        """Whether these numbers would have been the expected ones."""
        if array.shape != self.want.shape:
            return False
        if self.expected is not None:
            return bool(np.abs(array - self.expected).max(initial=0.0) <= self.allowed)
        if not np.isfinite(array).all():
            return False
        made = TensorValue(self.probe.dtype, array.shape, "cpu", "Tensor", array)
        return difference(self.probe, self.name, self.want, made) is None

    def split(self) -> tuple[tuple[str, ...], tuple[int, ...]]:
        """Names and lengths of the expected axes, a merged one (`h·d_v`) as its parts where their sizes are known."""
        names: list[str] = []
        lengths: list[int] = []
        for name, length in zip(self.axes, self.want.shape, strict=True):
            parts = name.split("·")
            sizes = [self.probe.sizes.get(part, 0) for part in parts]
            whole = len(parts) > 1 and math.prod(sizes) == length
            names += parts if whole else [name]
            lengths += sizes if whole else [length]
        return tuple(names), tuple(lengths)


Sights = tuple[Sight, ...]


def looked_at(suspect: Suspect) -> dict[str, Sights]:
    """By name (`y3`, the third call's `y`, is a `y`), all tensors that came from the probes in float64.

    Where something is wrong on a core probe, only core probes: on the others extremes add their own.
    """
    found: dict[str, list[Sight]] = {}
    for probe in exact_probes(suspect):
        answer = suspect.got[probe.id]
        for name in probe.report if answer.outcome == "returned" else ():
            sight = sight_of(probe, name, suspect.want[probe.id], answer)
            if sight is not None:
                found.setdefault(name.rstrip("0123456789"), []).append(sight)
    return {name: _core_first(sights) for name, sights in found.items()}


def exact_probes(suspect: Suspect) -> list[Probe]:
    """The probes of the step's fullest precision that have an expected answer."""
    dtypes = {probe.dtype for probe in suspect.probes}
    exact = EXACT if EXACT in dtypes else SINGLE
    return [
        probe
        for probe in suspect.probes
        if probe.id in suspect.got
        and probe.dtype == exact
        and probe.device == "cpu"
        and suspect.want.get(probe.id)
    ]


def sight_of(probe: Probe, name: str, want: Mapping[str, Expected], answer: Answer) -> Sight | None:
    """A tensor with named axes, beside the expected one; None where either is none."""
    wanted, value = want.get(name), answer.values.get(name)
    axes = probe.axes.get(name)
    if (
        not isinstance(wanted, TensorValue | SealedTensor)
        or not isinstance(value, TensorValue)
        or axes is None
    ):
        return None
    if value.array is None or value.array.dtype.kind == "c" or len(axes) != len(wanted.shape):
        return None
    mine = np.asarray(value.array, np.float64)
    known = None if isinstance(wanted, SealedTensor) else wanted.array
    expected = None if known is None else np.asarray(known, np.float64)
    largest = wanted.largest if isinstance(wanted, SealedTensor) else _largest(expected)
    finite = bool(np.isfinite(mine).all())
    telling = math.prod(wanted.shape) >= TELLING and largest > LEAST
    allowed = tolerance(probe, largest).absolute
    sight = Sight(probe, name, axes, wanted, mine, expected, allowed, False, finite, telling)
    return replace(sight, right=finite and sight.fits(mine))


def _core_first(sights: list[Sight]) -> Sights:
    core = [sight for sight in sights if sight.probe.core]
    return tuple(core if any(not sight.right for sight in core) else sights)


def _largest(array: Floats | None) -> float:
    return 0.0 if array is None else float(np.abs(array).max(initial=0.0))
