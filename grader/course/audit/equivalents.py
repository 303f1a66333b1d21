"""Justified survivors: `equivalent_mutants.yaml` beside the reference, each with its reason, none stale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

from pydantic import Field, TypeAdapter, ValidationError

from grader.core.errors import LessonError
from grader.core.records import Frozen
from grader.core.yaml_file import read_yaml

from .findings import MutantFinding, Stale
from .mutants import Mutant

FILE = "equivalent_mutants.yaml"


class Justified(Frozen):
    """One mutant by its id; the lines are for the reader, and are held to be the mutant's own."""

    id: str
    was: str
    now: str = ""


class Justification(Frozen):
    """Why these mutants compute what is asked for."""

    reason: Annotated[str, Field(min_length=20)]
    mutants: Annotated[tuple[Justified, ...], Field(min_length=1)]


def read_equivalents(folder: Path) -> tuple[Justification, ...]:
    """A reference's justifications, none when it has no such file. Raises LessonError that names the line."""
    path = folder / FILE
    if not path.exists():
        return ()
    found = read_yaml(path, path.name, listed=True)
    try:
        entries = TypeAdapter(tuple[Justification, ...]).validate_python(found.data)
    except ValidationError as error:
        first = error.errors()[0]
        raise found.error(tuple(first["loc"]), first["msg"]) from None
    ids = [justified.id for entry in entries for justified in entry.mutants]
    twice = {name for name in ids if ids.count(name) > 1}
    if twice:
        raise LessonError(f"{path.name}: the mutant {min(twice)} stands twice")
    return entries


def settle(
    found: Sequence[MutantFinding], every: Mapping[str, Mutant], entries: Sequence[Justification]
) -> tuple[tuple[MutantFinding, ...], tuple[Stale, ...]]:
    """The findings with justified survivors told as such, and the justifications that hold no longer.

    `every` has all mutants there are, also those that were not tried this time.
    """
    reasons = {one.id: (" ".join(entry.reason.split()), one) for entry in entries for one in entry.mutants}
    settled, stale = [], []
    outcomes = {finding.id: finding.outcome for finding in found}
    for name, (_, one) in reasons.items():
        mutant = every.get(name)
        if mutant is None:
            stale.append(Stale(id=name, why=f"there is no such mutant any more (it was {one.was!r})"))
        elif (one.was.strip(), one.now.strip()) != (mutant.was, mutant.now):
            stale.append(Stale(id=name, why="its lines are not those of the mutant with this id"))
        elif outcomes.get(name) == "killed":
            stale.append(Stale(id=name, why=f"the checks kill it now: {mutant.now or 'nothing'!r}"))
    held = set(reasons) - {one.id for one in stale}
    for finding in found:
        equivalent = finding.outcome == "survived" and finding.id in held
        changed = {"outcome": "equivalent", "reason": reasons[finding.id][0]} if equivalent else {}
        settled.append(finding.model_copy(update=changed))
    return tuple(settled), tuple(stale)
