"""The jobs an audit is cut into, and how one is done on a bench."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from .bench import Bench
from .findings import StepFinding, WorkFinding
from .mutants import Mutant
from .right import try_right, try_seeds, try_solution
from .styles import try_style
from .wrong import StepTrial

Finding = StepFinding | WorkFinding
Tick = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class StepJob:
    """The wrong variants of one step; `entries` known mistakes can be in it, with 0 none are tried.

    Of them `pairs` are made two at a time, too.
    """

    step: str
    entries: int
    mutants: tuple[Mutant, ...]
    pairs: int = 0


@dataclass(frozen=True, slots=True)
class SolutionJob:
    """The solution and the skeleton."""


@dataclass(frozen=True, slots=True)
class RightJob:
    """One right submission, the steps it should have, and more seeds to try it on."""

    path: Path
    steps: tuple[str, ...]
    seeds: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class SeedsJob:
    """The solution on some seeds."""

    seeds: tuple[int, ...]


Job = StepJob | SolutionJob | RightJob | SeedsJob


def size(job: Job) -> int:
    """How many ticks a job gives in all."""
    if isinstance(job, StepJob):
        return job.entries + len(job.mutants) + job.pairs
    return len(job.seeds) if isinstance(job, SeedsJob) else 1


def do(bench: Bench, job: Job, tick: Tick) -> list[Finding]:
    """Do one job. Raises GraderError."""
    if isinstance(job, StepJob):
        catalogue = bench.reference.mistakes if job.entries else ()
        return [StepTrial(bench, bench.step(job.step), catalogue, tick).finding(job.mutants, job.pairs)]
    found: list[Finding] = []
    if isinstance(job, SolutionJob):
        found += try_solution(bench)
    elif isinstance(job, RightJob):
        right, held = try_right(bench, job.path, job.steps)
        found.append(right)
        if job.seeds and held:
            found.append(try_style(bench, job.path, job.seeds, held))
    else:
        found.append(try_seeds(bench, job.seeds))
    tick(size(job))
    return found
