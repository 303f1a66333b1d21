"""What a grade of hostile work must give, whatever was tried in it; the files test_hostile_*.py ask it of levels."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from .levels import LEVELS, Level
from .packs import Pack, packs
from .places import Stage
from .seen import attempt
from .watch import Sign

PACKS = packs()
# Attacks known to succeed: (id, level) and why. Whoever closes a gap takes its line away: the test asks for it.
GAPS: Mapping[tuple[str, str], str] = {}


def level(name: str) -> Level:
    """A level by its name; the test is skipped where this machine cannot be put there."""
    found = next(each for each in LEVELS if each.name == name)
    if found.missing():
        pytest.skip(found.missing())
    return found


def holds(pack: Pack, where: Level, copy: Stage) -> None:
    """Grade a pack at a level: no attack shows, no point is earned, honest steps are whole, the record is right."""
    seen = attempt(pack, where, copy)
    wanted = {attack.id for attack in pack.attacks if (attack.id, where.isolation) in GAPS}
    gaps = {sign.attack for sign in seen.signs} & wanted
    rest = [sign for sign in seen.signs if sign.attack not in wanted]
    assert rest == [], _story(pack, where, rest)
    assert seen.record is not None, "no signs and no record: the suite's own fault"
    assert seen.record.environment["isolation"] == where.isolation, (
        f"the level {where.name} was to be graded {where.isolation}, the record says {seen.record.environment}"
    )
    assert gaps == wanted, f"{wanted - gaps} no longer succeeds {where.isolation}: take its line out of GAPS"
    scores = {step.id: (step.status, step.score) for step in seen.record.steps}
    assert {scores[step] for step in pack.attacked} == {("failed", 0.0)}, scores
    assert [step for step in scores if step not in pack.attacked], "a pack without honest work proves little"


def _story(pack: Pack, where: Level, signs: list[Sign]) -> str:
    told = "\n".join(f"  {sign.attack or 'somebody'}: {sign.shows}: {sign.words[:300]}" for sign in signs)
    return f"attacks of {pack.name} showed at {where.name} (expected: none):\n{told}\nNext: run that attack alone"
