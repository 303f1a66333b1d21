"""The whole of `grader grade`: starts the workers first, so that their imports run beside ours."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from .errors import InputError
from .sandbox import Worker, close_all, start_jailed, start_trusted

if TYPE_CHECKING:
    from .records import Record

SEED_BITS = 31


def grade(path: Path, slug: str | None, seed: int | None, root: Path | None = None) -> Record:
    """The record of one submission. Raises InputError, LessonError, MachineError.

    Seed and reference decide every probe and every expected value; without a seed one is drawn.
    """
    started = time.monotonic()
    if not path.exists():
        raise InputError(f"{path}: no such file or folder")
    workers: list[Worker] = [start_jailed()]
    try:
        workers.append(start_trusted())
        return _graded(path, slug, seed, root, started, workers)
    finally:
        close_all(workers)


def _graded(
    path: Path, slug: str | None, seed: int | None, root: Path | None, started: float, workers: list[Worker]
) -> Record:
    import secrets
    from concurrent.futures import ThreadPoolExecutor

    from .lessons import find_lesson
    from .pipeline import asked_steps, environment_of, jailed_run, judge_transcript, standard, transcribe
    from .reference import make_probes, read_reference
    from .source import read_submission

    lesson = find_lesson(slug, root)
    submission = read_submission(path, lesson)
    drawn = secrets.randbits(SEED_BITS) if seed is None else seed
    if lesson.reference is None:
        raise InputError(f"{lesson.slug}: neither the reference nor sealed answers are here")
    probes = make_probes(lesson, drawn)
    reference = read_reference(lesson.reference)
    jailed, trusted = workers

    def restart() -> Worker:
        workers.append(start_jailed())
        return workers[-1]

    with ThreadPoolExecutor(2) as pool:
        run = jailed_run(lesson, submission, jailed)
        steps = asked_steps(lesson, submission, run)
        mine = pool.submit(transcribe, lesson, run, probes, steps, jailed, restart)
        theirs = pool.submit(standard, lesson, reference, probes, trusted, time.monotonic() + 150.0)
        import pytest  # noqa: F401  (imported while the workers work)

        found, last = mine.result()
        held = theirs.result()
    return judge_transcript(
        lesson, submission, run, found, held, seed=drawn, environment=environment_of(last), started=started
    )
