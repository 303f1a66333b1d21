"""Grades submissions: workers are started first, so that their imports run beside ours."""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from grader.core.errors import InputError, SubmissionError
from grader.core.records import REFERENCE, SEALED
from grader.lesson.courses import find_course, stand_apart
from grader.sandbox.client import start_both, start_jailed, start_open, start_trusted
from grader.sandbox.isolation import insist
from grader.sandbox.likeness import insist_alike

if TYPE_CHECKING:
    from grader.core.records import Record
    from grader.lesson.answers import Transcript
    from grader.lesson.lesson import Lesson
    from grader.lesson.probes import Probe
    from grader.lesson.reference import Mistake
    from grader.sandbox.client import Worker
    from grader.submission.model import Submission

    from .accounts import Standard
    from .run import Run

CPU = "cpu"
STANDARD_SECONDS = 150.0  # for the reference's own answers
WHOLE_SECONDS = 172.0  # for one grade, whatever the submission does
ANSWER_SHARE, NAME_SHARE = (
    0.87,
    0.96,
)  # of these: when the submission has to be done, when naming mistakes ends
SEALED_FILE = "sealed.bin"  # beside lesson.yaml, in a learner's bundle


def grade(
    path: Path,
    slug: str | None,
    seed: int | None,
    root: Path | None = None,
    *,
    sealed: Path | None = None,
    seconds: float = WHOLE_SECONDS,
    device: str = CPU,
    workers: Sequence[Worker] = (),
    isolation: str | None = None,
    secret: bytes | None = None,
) -> Record:
    """The record of one submission, within about so many seconds, by `workers` if some are started already.

    Raises InputError, LessonError, MachineError.

    Seed and reference decide every probe and every expected value; without a seed one is drawn, or made from a
    `secret` and the submission. Where the
    reference is absent, or a sealed file is given, that file decides. On the device "cuda" the submission is
    trusted: it runs outside the jail, and is asked on the GPU too. Below an `isolation` that is asked for
    nothing runs at all.
    """
    if not path.exists():
        raise InputError(f"{path}: no such file or folder")
    root = find_course(root)
    stand_apart(root, path, official=isolation is not None)
    with Session(slug, seed, root, sealed, seconds, device, workers, isolation, secret=secret) as session:
        return session.grade(path)


class Session:
    """One seed, one standard, any number of submissions, each in processes of its own.

    With a `secret` each submission has a seed, and so a standard, of its own.
    """

    def __init__(
        self,
        slug: str | None,
        seed: int | None,
        root: Path | None = None,
        sealed: Path | None = None,
        seconds: float = WHOLE_SECONDS,
        device: str = CPU,
        workers: Sequence[Worker] = (),
        isolation: str | None = None,
        *,
        secret: bytes | None = None,
    ) -> None:
        self.started = time.monotonic()
        self.seconds = seconds
        self.device = device
        self.isolation = isolation
        self._pool = ThreadPoolExecutor(2)
        self._standard: Future[Standard] | None = None
        self._solution: Run | None = (
            None  # for what a submission asks of it; None where the reference is not here
        )
        self._place = (slug, root)
        self._seed = seed
        self._secret = secret
        self._sealed = sealed
        # Known before any lesson is read, so that the reference's worker can start at once where it is needed.
        alone = sealed is not None or not has_reference(root)
        self.worker, self._trusted = _workers(device, alone, workers)
        self.lesson: Lesson | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.worker.close()
        finally:
            try:
                if self._trusted is not None:
                    self._trusted.close()
            finally:
                self._pool.shutdown(wait=True, cancel_futures=True)

    def grade(self, path: Path) -> Record:
        """The record of one submission. Raises InputError, LessonError, MachineError."""
        return self.answered(path)[0]

    def answered(self, path: Path) -> tuple[Record, Transcript]:
        """The record of one submission, and the answers it was made from. Raises what `grade` raises."""
        from grader.submission.reader import read_submission

        from .pipeline import bounded, environment_of, jailed_run, judge_transcript, open_run
        from .second import Second

        started = self.started if self._standard is None else time.monotonic()
        lesson = self._lesson(path)
        try:
            submission = read_submission(path, lesson)
        except InputError as error:
            raise SubmissionError(str(error)) from error
        self._draw(lesson, submission)
        seed, probes = self._prepare(lesson)
        run = jailed_run(lesson, submission) if self.device == CPU else open_run(lesson, submission)
        end = started + self.seconds * ANSWER_SHARE
        self._insist(end)
        gpu = self._gpu_probes(probes, end)
        answering = self._pool.submit(self._transcript, lesson, submission, run, [*probes, *gpu], end)
        import pytest  # noqa: F401  (imported while the workers work)

        found = answering.result()
        assert self._standard is not None
        held = bounded(self._standard.result(), started + self.seconds * NAME_SHARE)
        if self._trusted is not None:
            insist_alike(self.worker.hello, self._trusted.hello)
        held = replace(held, gpu=gpu)
        sealed = self._sealed is not None or lesson.reference is None
        place = environment_of(self.worker, self._trusted, self.device) | {
            "standard": SEALED if sealed else REFERENCE
        }
        name_end = started + self.seconds * NAME_SHARE
        second = Second(lesson, run, self.worker, name_end, self._solution, self._trusted)
        record = judge_transcript(
            lesson,
            submission,
            run,
            found,
            held,
            seed=seed,
            environment=place,
            started=started,
            hidden=self._solution is not None,
            second=second,
        )
        return record, found

    @property
    def mistakes(self) -> tuple[Mistake, ...]:
        """The known mistakes that answers are held against; none before the first grade."""
        return () if self._standard is None else self._standard.result().mistakes

    def _insist(self, end: float) -> None:
        """Nothing is run below the isolation that was asked for. Raises MachineError."""
        if self.isolation is not None:
            self.worker.wait_for_hello(end)
            insist(self.isolation, self.worker.isolation, self.worker.parts)

    def _gpu_probes(self, probes: Sequence[Probe], end: float) -> tuple[Probe, ...]:
        """The probes for a real GPU, where it was asked for. Raises InputError when there is none."""
        if self.device == CPU:
            return ()
        from grader.judging.gpu import on_gpu

        self.worker.wait_for_hello(end)
        if self.worker.hello.get("cuda") != self.device:
            raise InputError(f"--device {self.device}: torch sees no such device here; leave the option out")
        return tuple(on_gpu(probes, self.device))

    def _lesson(self, path: Path) -> Lesson:
        """The lesson that was said, else that of the first submission; all others are held to it."""
        if self.lesson is None:
            from grader.submission.lesson_of import lesson_for

            self.lesson = lesson_for(path, *self._place)
        return self.lesson

    def _draw(self, lesson: Lesson, submission: Submission) -> None:
        """The seed of this submission, where each has its own: what was computed for another's is of no use."""
        if self._secret is None:
            return
        from .seeds import seed_for

        seed = seed_for(self._secret, lesson.slug, submission.sha256)
        if seed != self._seed:
            self._seed, self._standard = seed, None

    def _prepare(self, lesson: Lesson) -> tuple[int, Sequence[Probe]]:
        """The seed and its probes; the first call sets the reference to work on them, one after a failure again."""
        if self._standard is not None and self._standard.done() and self._standard.exception() is not None:
            self._standard = None
        if self._standard is None:
            if self._sealed is not None or lesson.reference is None:
                self._open_sealed(lesson)
            else:
                self._ask_reference(lesson, lesson.reference)
        assert self._seed is not None
        return self._seed, self._probes

    def _ask_reference(self, lesson: Lesson, folder: Path) -> None:
        from grader.lesson.reference import make_probes, read_reference

        from .pipeline import standard
        from .second import solution_run

        if self._seed is None:
            import secrets

            from .seeds import SEED_BITS

            self._seed = secrets.randbits(SEED_BITS)
        self._probes: Sequence[Probe] = make_probes(lesson, self._seed)
        self._trusted = self._trusted or start_trusted()
        end = time.monotonic() + STANDARD_SECONDS
        held = read_reference(folder)
        self._solution = solution_run(lesson, held.modules)
        self._standard = self._pool.submit(standard, lesson, held, self._probes, self._trusted, end)

    def _open_sealed(self, lesson: Lesson) -> None:
        from grader.judging.sealed.file import read_sealed

        from .accounts import Standard

        if self._secret is not None:
            raise InputError(
                "--seed-per-submission: the reference is not here, and sealed answers have one seed; leave it out"
            )
        path = self._sealed or lesson.folder / SEALED_FILE
        if not path.exists():
            raise InputError(
                f"{path}: no sealed answers, and the reference is not here; fetch the bundle again"
            )
        held = read_sealed(path)
        if held.lesson != lesson.slug:
            raise InputError(f"{path}: sealed for the lesson {held.lesson}, not for {lesson.slug}")
        if self._seed not in (None, held.seed):
            raise InputError(
                f"--seed {self._seed}: the sealed answers are for seed {held.seed} only; leave it out"
            )
        self._seed, self._probes = held.seed, held.probes
        self._standard = Future()
        self._standard.set_result(Standard(held.probes, held.want, held.mistakes, held.ask))

    def _transcript(
        self, lesson: Lesson, submission: Submission, run: Run, probes: Sequence[Probe], end: float
    ) -> Transcript:
        from .pipeline import asked_steps, transcribe

        return transcribe(lesson, run, probes, asked_steps(lesson, submission, run), self.worker, end)


def _workers(device: str, alone: bool, started: Sequence[Worker]) -> tuple[Worker, Worker | None]:
    """The submission's worker and, unless it is `alone`, the reference's; those already started, if any."""
    if started:
        return started[0], (*started[1:], None)[0]
    if device != CPU:
        return start_open(), None if alone else start_trusted()
    return (start_jailed(), None) if alone else start_both()


def has_reference(root: Path | None) -> bool:
    """Whether the hidden side of any lesson is in the course; not where no course is known yet."""
    try:
        return (find_course(root) / "reference").is_dir()
    except InputError:
        return False
