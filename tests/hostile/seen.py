"""Grades one pack at one level and tells all that was seen of its attacks."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

from grader.core.records import Record

from .levels import Done, Level, grade
from .packs import STEPS, Pack, write
from .places import Stage, places
from .watch import Sign, doors, left, named, raw, said

MEMORY = 1600 * 2**20  # one process: torch, the limit of 1 GiB, and room
SECONDS = 180.0
RECORD_BYTES = 2**20


@dataclass(frozen=True, slots=True)
class Seen:
    """What one run gave: the record, if it is one, and every sign of an attack that succeeded."""

    done: Done
    record: Record | None
    signs: tuple[Sign, ...]


def attempt(pack: Pack, level: Level, stage: Stage, program: Sequence[str] = ("-m", "grader")) -> Seen:
    """Write the pack's submission, grade it by the command, look at everything it could have done."""
    before = stage.state()
    with (
        doors() as open_doors,
        places(stage, level.uid if os.getuid() == 0 else None, open_doors.ports) as where,
    ):
        write(pack, where)
        with named(where, open_doors.heard):
            done = grade(level, where, tuple(program))
        made = left(where, before)
        text = where.record.read_text("utf-8", "replace") if where.record.is_file() else ""
    record, told = _record(text)
    signs = [*told, *open_doors.signs(), *made, *raw(done.out), *_judged(pack, record, done)]
    if done.code:
        signs.append(Sign("", "record", f"exit code {done.code}: {done.error.strip()[-300:]}"))
    if len(text) > RECORD_BYTES:
        signs.append(Sign("", "record", f"a record of {len(text)} characters"))
    return Seen(done, record, tuple(signs))


def _record(text: str) -> tuple[Record | None, list[Sign]]:
    """The record, and what the attacks printed into it or got it to hold."""
    try:
        record = Record.model_validate_json(text)
    except ValueError as error:
        return None, [Sign("", "record", f"no record: {str(error)[:200]}"), *said(text)]
    printed = "\n".join(step.prints for step in record.steps)
    rest = record.model_copy(
        update={"steps": tuple(step.model_copy(update={"prints": ""}) for step in record.steps)}
    )
    return record, [*said(printed), *[sign for sign in said(rest.to_json()) if sign.shows == "canary"]]


def _judged(pack: Pack, record: Record | None, done: Done) -> list[Sign]:
    """Points where there should be none, or none where there should be; time and memory beyond bounds."""
    signs = []
    inside = dict(pack.steps)
    for step in record.steps if record else ():
        whose = inside[step.id][0].id if step.id in inside and len(inside[step.id]) == 1 else ""
        if step.id in pack.attacked and step.score:
            signs.append(Sign(whose, "points", f"{step.id} earned {step.score}"))
        if step.id not in pack.attacked and (step.status, step.score) != ("passed", step.max_score):
            signs.append(Sign("", "others", f"{step.id} is {step.status}: {step.note[:300]}"))
        if step.status == "broken":
            signs.append(Sign(whose, "others", f"{step.id} is broken: {step.note[:300]}"))
    if record and [step.id for step in record.steps if step.id not in STEPS]:
        signs.append(Sign("", "record", "steps that are none"))
    if done.seconds > SECONDS:
        signs.append(Sign("", "time", f"{done.seconds:.0f} s"))
    if done.memory > MEMORY:
        signs.append(Sign("", "memory", f"{done.memory >> 20} MiB in one process"))
    return signs
