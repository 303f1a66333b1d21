"""One process's workplace in an audit: a lesson, its probes and expected values, its workers."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Self

from grader.core.errors import LessonError
from grader.grading.pipeline import expected_answers
from grader.grading.run import reference_run
from grader.grading.session import Session
from grader.lesson.fingerprint import Expected
from grader.lesson.lesson import Lesson, Step, find_lesson
from grader.lesson.probes import Probe
from grader.lesson.reference import make_probes, read_reference
from grader.sandbox.client import start_both

SECONDS = 600.0  # for one asking of the worker


@dataclass(frozen=True, slots=True)
class Place:
    """What a bench is set up for: a lesson (by slug and root) and a seed."""

    slug: str
    root: Path | None
    seed: int


class Bench:
    """What the jobs of one audit share in one process; close it after use."""

    def __init__(self, place: Place) -> None:
        self.lesson: Lesson = find_lesson(place.slug, place.root)
        if self.lesson.reference is None:
            raise LessonError(f"{self.lesson.slug}: the reference is not here, so nothing can be proved")
        self.place, self.seed = place, place.seed
        self.jailed, self.worker = start_both()
        self.checks = self.lesson.folder / "checks.py"
        self.reference = read_reference(self.lesson.reference)
        self.run = reference_run(self.lesson, self.reference.modules, exact=False)
        self._seeds: dict[int, tuple[Sequence[Probe], Mapping[str, Mapping[str, Expected]]]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.jailed.close()
        self.worker.close()
        if "session" in self.__dict__:
            self.session.__exit__(kind, error, trace)

    @cached_property
    def session(self) -> Session:
        """The whole road from a path to a record; its clock begins to run when it is made."""
        place = self.place
        return Session(place.slug, place.seed, place.root, workers=(self.jailed, self.worker))

    @cached_property
    def probes(self) -> Sequence[Probe]:
        """All probes whose values are compared, of all steps."""
        return probes_of(self.lesson, self.seed)

    @cached_property
    def want(self) -> Mapping[str, Mapping[str, Expected]]:
        """The expected values."""
        return self.want_of(self.seed)

    def probes_of(self, seed: int) -> Sequence[Probe]:
        """Another seed's probes, made once."""
        return self._made(seed)[0]

    def want_of(self, seed: int) -> Mapping[str, Mapping[str, Expected]]:
        """The expected values of another seed, computed once."""
        return self._made(seed)[1]

    def _made(self, seed: int) -> tuple[Sequence[Probe], Mapping[str, Mapping[str, Expected]]]:
        if seed not in self._seeds:
            probes = self.probes if seed == self.seed else probes_of(self.lesson, seed)
            want = expected_answers(self.lesson, self.reference, probes, self.worker, end())
            self._seeds[seed] = probes, want
        return self._seeds[seed]

    def step(self, step_id: str) -> Step:
        """A step by its id."""
        return next(step for step in self.lesson.steps if step.id == step_id)


def probes_of(lesson: Lesson, seed: int) -> list[Probe]:
    """The probes of a seed whose values are compared."""
    return [probe for probe in make_probes(lesson, seed) if probe.judged]


def end() -> float:
    """When an asking that begins now has to be over."""
    return time.monotonic() + SECONDS
