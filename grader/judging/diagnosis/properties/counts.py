"""Plain numbers that are wrong: by which factor, or by how much, in the names of the sizes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import TypeGuard

from grader.judging.diagnosis.suspect import Suspect

from .facts import DEED, WHOLE, Fact
from .symbols import factor_of, plain

CASES = 3  # fewer say nothing
POWERS = 2  # the highest power of one size that is looked for
CLOSE = 1e-9


@dataclass(frozen=True, slots=True)
class Pair:
    """A learner's number beside the expected one, and the sizes it was asked for."""

    got: float
    want: float
    sizes: Mapping[str, int]


def counts(suspect: Suspect) -> Iterator[Fact]:
    """One factor for all cases, or one product of sizes that the difference grows with."""
    for name, pairs in _pairs(suspect).items():
        wrong = [pair for pair in pairs if pair.got != pair.want]
        if len(wrong) < CASES or not all(pair.want and pair.got for pair in wrong):
            continue
        where = f"Your `{name}` is" if len(wrong) == len(pairs) else f"Where your `{name}` is wrong, it is"
        ratios = [pair.got / pair.want for pair in wrong]
        form = (
            plain(ratios[0])
            if max(ratios) - min(ratios) < CLOSE
            else factor_of(ratios, [p.sizes for p in wrong])
        )
        if form:
            yield Fact(WHOLE, "factor", f"{where} the right number times {form}.")
            continue
        growth = _growth(wrong)
        if growth:
            side = "small" if wrong[0].got < wrong[0].want else "large"
            yield Fact(DEED, "factor", f"{where} too {side} by something that grows with {growth}.")


def _pairs(suspect: Suspect) -> dict[str, list[Pair]]:
    """By function called and name of the value."""
    found: dict[str, list[Pair]] = {}
    for probe in suspect.probes:
        answer, wanted = suspect.got.get(probe.id), suspect.want.get(probe.id) or {}
        for name in probe.report if answer is not None and answer.outcome == "returned" else ():
            assert answer is not None
            got, want = answer.values.get(name), wanted.get(name)
            if _is_number(got) and _is_number(want) and probe.sizes:
                of = probe.script[0].get("of")
                label = str(of.get("name", name)) if isinstance(of, dict) else name
                found.setdefault(label, []).append(Pair(float(got), float(want), probe.sizes))
    return found


def _is_number(value: object) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _growth(wrong: list[Pair]) -> str:
    """`T²·d_model`: the one product of powers of sizes that the differences are a multiple of."""
    axes = [axis for axis in wrong[0].sizes if all(axis in pair.sizes for pair in wrong)]
    found = []
    for powers in product(range(POWERS + 1), repeat=len(axes)):
        shares = [(pair.got - pair.want) / _of(pair, axes, powers) for pair in wrong]
        if any(powers) and max(shares) - min(shares) <= CLOSE * abs(shares[0]):
            found.append(
                "·".join(f"{axis}{'²' * (n > 1)}" for axis, n in zip(axes, powers, strict=True) if n)
            )
    return found[0] if len(found) == 1 else ""


def _of(pair: Pair, axes: list[str], powers: tuple[int, ...]) -> float:
    result = 1.0
    for axis, power in zip(axes, powers, strict=True):
        result *= pair.sizes[axis] ** power
    return result
