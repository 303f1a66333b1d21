"""Makes a lesson's sealed file: the reference and every known mistake answer once, for a public seed."""

from __future__ import annotations

import time
from pathlib import Path

from grader.core.errors import InputError
from grader.judging.sealed.file import seal_lesson
from grader.lesson.lesson import Lesson, find_lesson
from grader.lesson.reference import Reference, make_probes, read_reference, text_of
from grader.sandbox.client import start_trusted
from grader.submission.imports import reached
from grader.submission.source_index import read_code

from .accounts import homes_of
from .pipeline import standard
from .session import STANDARD_SECONDS


def seal(slug: str | None, seed: int | None, root: Path | None = None) -> bytes:
    """A sealed file's bytes for a lesson, at its public seed unless another is given."""
    return sealed_bytes(find_lesson(slug, root), seed)


def sealed_bytes(lesson: Lesson, seed: int | None) -> bytes:
    """A sealed file's bytes for a lesson as it stands, or cut down to some of its steps."""
    if lesson.reference is None:
        raise InputError(f"{lesson.slug}: the reference is not here, so nothing can be sealed")
    drawn = lesson.public_seed if seed is None else seed
    probes = make_probes(lesson, drawn)
    worker = start_trusted()
    try:
        end = time.monotonic() + STANDARD_SECONDS
        reference = read_reference(lesson.reference)
        held = standard(lesson, reference, probes, worker, end)
        homes = homes_within(lesson, reference)
        return seal_lesson(
            lesson.slug, drawn, probes, want=held.want, mistakes=held.mistakes, homes=homes, ask=held.ask
        )
    finally:
        worker.close()


def homes_within(lesson: Lesson, reference: Reference) -> dict[str, list[str]]:
    """By step, the modules in which a mistake can change the solution's step: those that it imports."""
    codes = {str(module["name"]): [read_code(text_of(module))] for module in reference.modules}
    stems = {step.id: step.file.removesuffix(".py") for step in lesson.steps}
    mine = reached(codes, stems.values())
    return {
        step.id: [home for home in homes_of(lesson, step) if home in mine[stems[step.id]]]
        for step in lesson.steps
    }
