"""When answers are wrong: one condition that holds in just the cases that fail."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations

import numpy as np

from grader.judging.diagnosis.suspect import Suspect
from grader.lesson.probes import Probe

from .calls import calls_of
from .facts import WHEN, Fact, listed
from .sight import EXACT, GRADIENT, exact_probes

FEWEST = 2  # cases on the right side, before a condition says anything
LARGE = 8.0  # magnitude of inputs that are far from the usual ones
Condition = tuple[str, tuple[str, ...], Callable[[Probe], bool]]


def conditions(suspect: Suspect) -> Iterator[Fact]:
    """The condition under which answers are wrong."""
    probes = valued(suspect)
    bad = {probe.id for probe in probes if suspect.wrong(probe, suspect.got[probe.id])}
    said = condition(probes, bad)
    if said:
        yield Fact(WHEN, "when", f"It is wrong just in the cases {said}, of {len(probes)} asked.")


def valued(suspect: Suspect) -> list[Probe]:
    """The probes of full precision that ask for values, not for gradients."""
    return [probe for probe in exact_probes(suspect) if not _is_gradient(probe)]


def condition(probes: Sequence[Probe], bad: set[str], mentioned: str = "") -> str:
    """What holds of just the probes in `bad`; where several sizes do, the one whose axes are `mentioned`."""
    if not bad or len(probes) - len(bad) < FEWEST:
        return ""
    fitting = [(said, axes) for said, axes, test in _conditions(probes) if _parts(probes, bad, test)]
    plain = [said for said, axes in fitting if len(axes) < 2]
    pairs = [(said, axes) for said, axes in fitting if len(axes) == 2]
    named = [said for said, axes in pairs if all(f"{axis} =" in mentioned for axis in axes)]
    return next(iter([*plain, *named, *[said for said, _ in pairs if len(pairs) == 1]]), "")


def _parts(probes: Sequence[Probe], bad: set[str], test: Callable[[Probe], bool]) -> bool:
    return all(test(probe) == (probe.id in bad) for probe in probes)


def _is_gradient(probe: Probe) -> bool:
    return all(name.startswith(GRADIENT) for name in probe.report)


def _conditions(probes: Sequence[Probe]) -> Iterator[Condition]:
    """From what is most often the reason to what is seldom one."""
    masks = [name for probe in probes for name, array in probe.tensors.items() if array.dtype == np.bool_]
    for name in dict.fromkeys(masks):
        yield f"with a row in `{name}` that has no True", (), partial(_has_empty_row, name)
        yield f"with `{name}`", (), partial(_has, name)
        yield f"without `{name}`", (), partial(_lacks, name)
    yield "whose inputs are not contiguous", (), _is_strided
    yield "with large inputs", (), _is_large
    yield "with more than one call", (), is_repeated
    axes = [axis for axis in probes[0].sizes if all(axis in probe.sizes for probe in probes)]
    for axis in axes:
        yield f"with {axis} = 1", (axis,), partial(_compares, operator.eq, axis, "")
        yield f"with {axis} > 1", (axis,), partial(_compares, operator.gt, axis, "")
    for one, two in combinations(axes, 2):
        for sign, test in _SIGNS.items():
            yield f"with {one} {sign} {two}", (one, two), partial(_compares, test, one, two)


_SIGNS: Mapping[str, Callable[[int, int], bool]] = {
    "≠": operator.ne,
    "=": operator.eq,
    ">": operator.gt,
    "<": operator.lt,
}


def _compares(test: Callable[[int, int], bool], one: str, two: str, probe: Probe) -> bool:
    """Whether the sizes of two axes compare so; one without a name is 1."""
    return test(probe.sizes[one], probe.sizes[two] if two else 1)


def _has(name: str, probe: Probe) -> bool:
    return name in probe.tensors


def _lacks(name: str, probe: Probe) -> bool:
    return name not in probe.tensors


def _is_strided(probe: Probe) -> bool:
    return bool(probe.strided)


def is_repeated(probe: Probe) -> bool:
    """Whether a probe calls something more than once."""
    return len({one.callee for one in calls_of(probe.script)}) < len(calls_of(probe.script))


def _has_empty_row(name: str, probe: Probe) -> bool:
    array = probe.tensors.get(name)
    return array is not None and array.ndim > 0 and not bool(array.any(axis=-1).all())


def _is_large(probe: Probe) -> bool:
    return any(
        array.dtype.kind == "f" and np.abs(array).max(initial=0.0) > LARGE for array in probe.tensors.values()
    )


def dtypes(suspect: Suspect) -> Iterator[Fact]:
    """The dtypes that fail, where full precision does not."""
    by_dtype: dict[str, list[bool]] = {}
    for probe in suspect.probes:
        if probe.id in suspect.got and probe.device == "cpu" and suspect.want.get(probe.id) and probe.sizes:
            by_dtype.setdefault(probe.dtype, []).append(suspect.wrong(probe, suspect.got[probe.id]))
    if len(by_dtype) < 2 or any(by_dtype.get(EXACT, [True])):
        return
    off = [dtype for dtype, wrong in by_dtype.items() if any(wrong)]
    right = [dtype for dtype, wrong in by_dtype.items() if not any(wrong)]
    if off:
        yield Fact(
            WHEN,
            "when",
            f"Everything is right in {listed(right, '')}; only {listed(off, '')} {'fails' if len(off) == 1 else 'fail'}.",
        )


def silent(suspect: Suspect) -> Iterator[Fact]:
    """Inputs and weights whose gradient is zero throughout, though answers are wrong too."""
    found: dict[str, list[bool]] = {}
    for probe in exact_probes(suspect):
        answer, wanted = suspect.got[probe.id], suspect.want[probe.id]
        for name in probe.report if answer.outcome == "returned" else ():
            if name.startswith(GRADIENT):
                found.setdefault(name, []).append(
                    _is_zero(answer.values.get(name)) and not _is_zero(wanted.get(name))
                )
    names = [name.removeprefix(GRADIENT) for name, zero in found.items() if all(zero)]
    if names and any(
        suspect.wrong(p, suspect.got[p.id]) for p in exact_probes(suspect) if not _is_gradient(p)
    ):
        yield Fact(
            WHEN + 1,
            "silent",
            f"No gradient comes back to {listed(names)}: either the answer does not depend on it, or the graph is cut.",
        )


def _is_zero(value: object) -> bool:
    array = getattr(value, "array", None)
    largest = getattr(value, "largest", None)
    if largest is not None:
        return bool(largest == 0)
    return value is None or (array is not None and not np.any(array))
