"""Makes a lesson's sealed file: the reference and every known mistake answer once, for a public seed."""

from __future__ import annotations

import time
from pathlib import Path

from .accounts import homes_of
from .errors import InputError
from .grading import STANDARD_SECONDS
from .lessons import Lesson, find_lesson
from .pipeline import standard
from .reference import make_probes, read_reference
from .sandbox import start_trusted
from .seal import seal_lesson


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
        held = standard(lesson, read_reference(lesson.reference), probes, worker, end)
        homes = {step.id: homes_of(lesson, step) for step in lesson.steps}
        return seal_lesson(
            lesson.slug, drawn, probes, want=held.want, mistakes=held.mistakes, homes=homes, ask=held.ask
        )
    finally:
        worker.close()
