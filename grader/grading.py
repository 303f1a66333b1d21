"""Grades submissions: workers are started first, so that their imports run beside ours."""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from .errors import InputError
from .sandbox import Worker, close_all, start_jailed, start_trusted

if TYPE_CHECKING:
    from .lessons import Lesson
    from .pipeline import Standard
    from .probes import Probe
    from .records import Record
    from .submission import Submission
    from .transcript import Transcript

SEED_BITS = 31
STANDARD_SECONDS = 150.0  # for the reference's own answers


def grade(path: Path, slug: str | None, seed: int | None, root: Path | None = None) -> Record:
    """The record of one submission. Raises InputError, LessonError, MachineError.

    Seed and reference decide every probe and every expected value; without a seed one is drawn.
    """
    if not path.exists():
        raise InputError(f"{path}: no such file or folder")
    with Session(slug, seed, root) as session:
        return session.grade(path)


class Session:
    """One seed, one standard, any number of submissions, each in processes of its own."""

    def __init__(self, slug: str | None, seed: int | None, root: Path | None = None) -> None:
        self.started = time.monotonic()
        self._workers: list[Worker] = [start_jailed()]
        self._pool = ThreadPoolExecutor(2)
        self._standard: Future[Standard] | None = None
        self._place = (slug, root)
        self._seed = seed
        self._trusted = start_trusted()
        self.lesson: Lesson | None = None

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        close_all([*self._workers, self._trusted])
        self._pool.shutdown(wait=True, cancel_futures=True)

    @property
    def worker(self) -> Worker:
        """The jailed worker in use."""
        return self._workers[-1]

    def grade(self, path: Path) -> Record:
        """The record of one submission. Raises InputError, LessonError, MachineError."""
        from .pipeline import environment_of, jailed_run, judge_transcript
        from .source import read_submission

        started = self.started if self._standard is None else time.monotonic()
        lesson = self._lesson()
        submission = read_submission(path, lesson)
        seed, probes = self._prepare(lesson)
        run = jailed_run(lesson, submission, self.worker)
        answering = self._pool.submit(self._transcript, lesson, submission, probes)
        import pytest  # noqa: F401  (imported while the workers work)

        found = answering.result()
        assert self._standard is not None
        held = self._standard.result()
        place = environment_of(self.worker)
        return judge_transcript(lesson, submission, run, found, held, seed=seed, environment=place, started=started)

    def _lesson(self) -> Lesson:
        if self.lesson is None:
            from .lessons import find_lesson

            self.lesson = find_lesson(*self._place)
        return self.lesson

    def _prepare(self, lesson: Lesson) -> tuple[int, Sequence[Probe]]:
        """The seed and its probes; the first call sets the reference to work on them."""
        from .pipeline import standard
        from .reference import make_probes, read_reference

        if self._seed is None:
            import secrets

            self._seed = secrets.randbits(SEED_BITS)
        if lesson.reference is None:
            raise InputError(f"{lesson.slug}: neither the reference nor sealed answers are here")
        if self._standard is None:
            self._probes = make_probes(lesson, self._seed)
            reference = read_reference(lesson.reference)
            end = time.monotonic() + STANDARD_SECONDS
            self._standard = self._pool.submit(standard, lesson, reference, self._probes, self._trusted, end)
        return self._seed, self._probes

    def _transcript(self, lesson: Lesson, submission: Submission, probes: Sequence[Probe]) -> Transcript:
        from .pipeline import asked_steps, jailed_run, transcribe

        run = jailed_run(lesson, submission, self.worker)
        steps = asked_steps(lesson, submission, run)
        found, _ = transcribe(lesson, run, probes, steps, self.worker, self._restart)
        return found

    def _restart(self) -> Worker:
        self._workers.append(start_jailed())
        return self._workers[-1]
