"""Puts known mistakes into the solution: each replaces a stage of a right function, or a few, by wrong ones.

Stages and their wrong ones stand in the files `wrong_*.py`, the words about them in `mistakes.yaml`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import wrong_attend
import wrong_concat
import wrong_cost
import wrong_cross
import wrong_heads
import wrong_library
import wrong_masks
import wrong_module
import wrong_output
import wrong_project
import wrong_scores
import wrong_structure
import wrong_weights
import wrong_wiring

Stages = Mapping[str, Any]
Build = Callable[..., dict[str, object]]

ATTEND = {**wrong_scores.MISTAKES, **wrong_masks.MISTAKES, **wrong_weights.MISTAKES}
CLASS = {**wrong_structure.MISTAKES, **wrong_wiring.MISTAKES}
HOMES: Mapping[str, tuple[Build, Mapping[str, Stages]]] = {
    "project": (wrong_project.build, wrong_project.MISTAKES),
    "attend": (wrong_attend.build, ATTEND),
    "concat": (wrong_concat.build, wrong_concat.MISTAKES),
    "output": (wrong_output.build, wrong_output.MISTAKES),
    "module": (wrong_module.build, CLASS),
    "cross": (wrong_cross.build, {**CLASS, **wrong_cross.MISTAKES}),
    "library": (wrong_library.build, wrong_library.MISTAKES),
    "cost": (wrong_cost.build, wrong_cost.MISTAKES),
    "heads": (wrong_heads.build, wrong_heads.MISTAKES),
}


def overlay(ids: Iterable[str]) -> dict[str, dict[str, object]]:
    """{solution module: {attribute: replacement}} that makes these mistakes; `output:no-wo` is at one home.

    ValueError: an id is not known, or two mistakes replace the same stage and cannot be made together.
    """
    chosen: dict[str, list[str]] = {}
    for given in ids:
        home, _, mistake = given.rpartition(":")
        found = [place for place in homes_of(mistake) if home in ("", place)]
        if not found:
            raise ValueError(f"no mistake has the id {given!r}")
        for place in found:
            chosen.setdefault(place, []).append(mistake)
    return {place: HOMES[place][0](**_together(place, here)) for place, here in chosen.items()}


def homes_of(mistake: str) -> tuple[str, ...]:
    """The solution's modules that a mistake is put into, none when the id is not known."""
    return tuple(home for home, (_, entries) in HOMES.items() if mistake in entries)


def _together(home: str, mistakes: Iterable[str]) -> dict[str, Any]:
    stages: dict[str, Any] = {}
    owner: dict[str, str] = {}
    for mistake in mistakes:
        for stage, wrong in HOMES[home][1][mistake].items():
            if stages.get(stage, wrong) is not wrong:
                raise ValueError(f"{owner[stage]} and {mistake} both replace {stage!r} of {home}")
            stages[stage], owner[stage] = wrong, mistake
    return stages
