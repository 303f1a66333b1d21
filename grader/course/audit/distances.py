"""How far answers are from the expected ones, in tolerances: right work on one side, known mistakes on the other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from grader.judging.diagnosis.suspect import Answers
from grader.judging.tolerance import tolerance
from grader.lesson.answers import TensorValue
from grader.lesson.fingerprint import Expected
from grader.lesson.probes import Probe

from .findings import Distance

LEAST = 1.0  # in tolerances: up to here an answer passes
FARTHEST = 1e12  # farther is as far: a record holds no infinity


def ratios(
    probes: Sequence[Probe], want: Mapping[str, Mapping[str, Expected]], got: Answers
) -> dict[str, float]:
    """By probe, how many tolerances the worst number is off; only where finite tensors can be compared."""
    found: dict[str, float] = {}
    for probe in probes:
        answer = got.get(probe.id)
        if answer is None or answer.outcome != "returned":
            continue
        pairs = [(answer.values.get(name), value) for name, value in want.get(probe.id, {}).items()]
        off = [ratio for mine, value in pairs if (ratio := _ratio(probe, value, mine)) is not None]
        if off:
            found[probe.id] = max(off)
    return found


def _ratio(probe: Probe, want: Expected, got: object) -> float | None:
    if not (isinstance(want, TensorValue) and isinstance(got, TensorValue)) or want.shape != got.shape:
        return None
    if want.array is None or got.array is None or not want.dtype.startswith(("float", "bfloat")):
        return None
    theirs, mine = np.asarray(want.array, np.float64), np.asarray(got.array, np.float64)
    if not np.isfinite(mine).all() or not mine.size:
        return None
    allowed = tolerance(probe, float(np.abs(theirs).max(initial=0.0))).absolute
    with np.errstate(over="ignore"):  # two huge numbers of opposite sign
        return min(float(np.abs(mine - theirs).max()) / allowed, FARTHEST)


def of_right(probes: Sequence[Probe], ratios: Mapping[str, float]) -> list[Distance]:
    """What one right answer says of each probe."""
    return [
        Distance(step=p.step, probe=p.id, dtype=p.dtype, right=ratios[p.id]) for p in probes if p.id in ratios
    ]


def of_wrong(probes: Sequence[Probe], ratios: Mapping[str, float]) -> list[Distance]:
    """What one known mistake's answer says of each probe: nearest beyond the tolerance, or farthest within."""
    return [
        Distance(step=p.step, probe=p.id, dtype=p.dtype, wrong=ratios[p.id])
        if ratios[p.id] > LEAST
        else Distance(step=p.step, probe=p.id, dtype=p.dtype, unseen=ratios[p.id])
        for p in probes
        if p.id in ratios
    ]


def merged(distances: Iterable[Distance]) -> tuple[Distance, ...]:
    """One distance a probe: the farthest right answer, the nearest wrong one, in the order they came."""
    found: dict[str, Distance] = {}
    for new in distances:
        old = found.setdefault(new.probe, new)
        found[new.probe] = old.model_copy(
            update={
                "right": max(old.right, new.right),
                "unseen": max(old.unseen, new.unseen),
                "wrong": min((one for one in (old.wrong, new.wrong) if one is not None), default=None),
            }
        )
    return tuple(found.values())


def by_dtype(distances: Iterable[Distance]) -> list[Distance]:
    """One distance a step and dtype: the probes with the farthest right answer and the nearest wrong one."""
    groups: dict[tuple[str, str], list[Distance]] = {}
    for one in distances:
        groups.setdefault((one.step, one.dtype), []).append(one)
    return [
        merged(one.model_copy(update={"probe": dtype}) for one in group)[0]
        for (_, dtype), group in groups.items()
    ]
