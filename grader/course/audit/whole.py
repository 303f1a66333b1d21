"""A whole audit: what is to be tried, shared out, and put together."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.core.errors import LessonError
from grader.grading.accounts import homes_of
from grader.lesson.lesson import Lesson, find_lesson
from grader.lesson.reference import Mistake, read_mistakes

from .bench import Place, probes_of
from .crew import work
from .distances import merged
from .equivalents import read_equivalents, settle
from .findings import Audit, Distance, StepFinding, WorkFinding, check_findings
from .jobs import Finding, Job, RightJob, SeedsJob, SolutionJob, StepJob, Tick, size
from .mutants import Mutant, mutants
from .problems import problems
from .right import submissions

SEEDS_AT_ONCE = 12  # half of what one request holds of this lesson
MOST_PROCESSES = 16


@dataclass(frozen=True, slots=True)
class Plan:
    """What an audit tries: a seed (the lesson's public one without), more seeds, mutants (all without a number).

    `right` is a folder of right submissions, None where there are none, each tried on `right_seeds` more seeds;
    in each step `pairs` pairs of known mistakes are made; `processes` 0 is one a core.
    """

    slug: str | None = None
    root: Path | None = None
    seed: int | None = None
    seeds: int = 200
    mutants: int | None = None
    right: Path | None = None
    right_seeds: int = 0
    pairs: int = 0
    processes: int = 0


@dataclass(frozen=True, slots=True)
class Task:
    """An audit that is ready to be done: its jobs, and what is needed to put their findings together."""

    lesson: Lesson
    place: Place
    every: Mapping[str, Mutant]
    jobs: tuple[Job, ...]
    started: float

    @property
    def total(self) -> int:
        """How many variants there are to be tried."""
        return sum(size(job) for job in self.jobs)


def prepare(plan: Plan) -> Task:
    """Read the lesson and cut the work into jobs, the longest first. Raises InputError, LessonError."""
    started = time.monotonic()
    lesson = find_lesson(plan.slug, plan.root)
    if lesson.reference is None:
        raise LessonError(f"{lesson.slug}: the reference is not here, so nothing can be proved")
    read_equivalents(lesson.reference)
    seed = lesson.public_seed if plan.seed is None else plan.seed
    every = {mutant.id: mutant for mutant in every_mutant(lesson, lesson.reference / "solution")}
    more = tuple(range(seed + 1, seed + 1 + plan.right_seeds))
    listed = submissions(plan.right, lesson.slug) if plan.right is not None else []
    right = [RightJob(path, steps, more) for path, steps in listed]
    numbers = range(seed + 1, seed + 1 + plan.seeds)
    parts = [numbers[start : start + SEEDS_AT_ONCE] for start in range(0, plan.seeds, SEEDS_AT_ONCE)]
    jobs: list[Job] = [
        *_step_jobs(lesson, seed, sample(list(every.values()), plan.mutants), plan.pairs),
        SolutionJob(),
        *(SeedsJob(tuple(part)) for part in parts),
        *right,
    ]
    return Task(lesson, Place(lesson.slug, plan.root, seed), every, tuple(jobs), started)


def every_mutant(lesson: Lesson, solution: Path) -> list[Mutant]:
    """All mutants of all steps. Raises LessonError where a step has no solution."""
    found: list[Mutant] = []
    for step in lesson.steps:
        path = solution / step.file
        if not path.exists():
            raise LessonError(f"{path}: the solution of {step.id} is not there")
        try:
            found += mutants(step.id, step.file, path.read_text("utf-8"))
        except SyntaxError as error:
            raise LessonError(f"{path}, line {error.lineno}: {error.msg}") from None
    return found


def sample(found: Sequence[Mutant], count: int | None) -> list[Mutant]:
    """So many of the mutants, evenly spread."""
    if count is None or count >= len(found):
        return list(found)
    return [found[place * len(found) // count] for place in range(count)]


def _step_jobs(lesson: Lesson, seed: int, chosen: Sequence[Mutant], pairs: int) -> list[StepJob]:
    assert lesson.reference is not None
    catalogue = read_mistakes(lesson.reference / "mistakes.yaml")
    probes = probes_of(lesson, seed)
    jobs = {}
    for step in lesson.steps:
        here = [entry for entry in catalogue if _in_reach(entry, homes_of(lesson, step))]
        mine = tuple(mutant for mutant in chosen if mutant.step == step.id)
        asked = sum(probe.step == step.id for probe in probes)
        jobs[StepJob(step.id, len(here), mine, pairs if len(here) > 1 else 0)] = asked * (
            len(here) + len(mine)
        )
    return sorted(jobs, key=lambda job: -jobs[job])


def _in_reach(entry: Mistake, homes: Sequence[str]) -> bool:
    return bool(set(entry.homes) & set(homes))


def audit(task: Task, processes: int, tick: Tick) -> Audit:
    """Do the jobs and say what they prove. Raises GraderError."""
    found = work(task.place, task.jobs, processes or cores(), tick)
    order = [step.id for step in task.lesson.steps]
    steps = sorted(
        (one for one in found if isinstance(one, StepFinding)), key=lambda one: order.index(one.step)
    )
    assert task.lesson.reference is not None
    tried = [mutant for step in steps for mutant in step.mutants]
    settled, stale = settle(tried, task.every, read_equivalents(task.lesson.reference))
    result = Audit(
        lesson=task.lesson.slug,
        seed=task.place.seed,
        proved=False,
        problems=(),
        work=_together([one for one in found if isinstance(one, WorkFinding)]),
        known=tuple(known for step in steps for known in step.known),
        mutants=settled,
        whole=len(settled) == len(task.every),
        stale=stale,
        checks=check_findings(steps),
        pairs=tuple(pair for step in steps for pair in step.pairs),
        distances=_distances(found, steps, order),
        seconds=time.monotonic() - task.started,
    )
    said = problems(result)
    return result.model_copy(update={"problems": said, "proved": not said})


def _distances(
    found: Sequence[Finding], steps: Sequence[StepFinding], order: Sequence[str]
) -> tuple[Distance, ...]:
    """Right work's and known mistakes' together, by step and dtype in a lasting order."""
    right = [one for part in found if isinstance(part, WorkFinding) for one in part.distances]
    both = merged([*(one for step in steps for one in step.distances), *right])
    return tuple(sorted(both, key=lambda one: (order.index(one.step), one.dtype, one.probe)))


def cores() -> int:
    """How many processes this machine does at once."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(usable, MOST_PROCESSES)


def _together(parts: Sequence[WorkFinding]) -> tuple[WorkFinding, ...]:
    """The findings of one kind as one."""
    found: dict[str, WorkFinding] = {}
    for part in parts:
        so_far = found.get(part.kind)
        if so_far is None:
            found[part.kind] = part.model_copy(update={"distances": ()})
        else:
            losses = (*so_far.losses, *part.losses)
            found[part.kind] = WorkFinding(kind=part.kind, tried=so_far.tried + part.tried, losses=losses)
    return tuple(found.values())
