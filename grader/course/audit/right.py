"""Right work: the solution, also on many seeds, the skeleton, and submissions that are known to be right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from pydantic import BaseModel, ValidationError

from grader.core.errors import InputError, LessonError
from grader.core.records import Record
from grader.core.yaml_file import read_yaml
from grader.grading.ask_reference import together
from grader.grading.run import reference_run
from grader.judging.cases import Case
from grader.lesson.answers import Answer, TensorValue
from grader.lesson.probes import Probe

from .bench import Bench, end, probes_of
from .distances import of_right, ratios
from .findings import Loss, WorkFinding
from .judging import Subject, judge_each

EXACT = "float64"  # in it, the solution's answers are the expected ones themselves
INDEX = "index.yaml"
NOTES = (".md", ".yaml", ".txt")  # beside the submissions


class Listed(BaseModel):
    """An entry of a folder's index: where a submission is, and the steps it holds."""

    path: str
    steps: tuple[str, ...] = ()


class Index(BaseModel):
    """A folder's index: of which lesson its submissions are, and which there are."""

    lesson: str | None = None
    submissions: tuple[Listed, ...]


def lesson_of(folder: Path) -> str | None:
    """The lesson that a folder's right submissions are of, where its index says it. Raises LessonError."""
    return _index(folder / INDEX).lesson if (folder / INDEX).exists() else None


def submissions(folder: Path, slug: str) -> list[tuple[Path, tuple[str, ...]]]:
    """A lesson's right submissions, each with the steps it should have; those of the folder's index, if it has one.

    Raises InputError, LessonError.
    """
    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder of right submissions")
    index = folder / INDEX
    if index.exists():
        held = _index(index)
        if held.lesson not in (None, slug):
            raise InputError(f"{folder}: right submissions of {held.lesson}, not of {slug}")
        entries = held.submissions
        lost = [entry.path for entry in entries if not (folder / entry.path).exists()]
        if lost:
            raise LessonError(f"{index}: {lost[0]} is not there")
        return [(folder / entry.path, entry.steps) for entry in entries]
    kept = (path for path in sorted(folder.iterdir()) if not path.name.startswith("."))
    return [(path, ()) for path in kept if path.is_dir() or path.suffix not in NOTES]


def _index(path: Path) -> Index:
    found = read_yaml(path, str(path))
    try:
        return Index.model_validate(found.data)
    except ValidationError as error:
        first = error.errors()[0]
        raise found.error(tuple(first["loc"]), first["msg"]) from None


def try_solution(bench: Bench) -> list[WorkFinding]:
    """The solution and the skeleton, on the whole road."""
    assert bench.lesson.reference is not None
    solution = bench.session.grade(bench.lesson.reference / "solution")
    lost = [*_lost(solution, "solution"), *_mistaken(solution)]
    skeleton = bench.session.grade(bench.lesson.folder)
    begun = [
        Loss(who="skeleton", step=step.id, check="", message=f"is {step.status}, with {step.score:g} points")
        for step in skeleton.steps
        if step.status != "not_attempted" or step.score
    ]
    return [
        WorkFinding(kind="solution", tried=1, losses=tuple(lost)),
        WorkFinding(kind="skeleton", tried=1, losses=tuple(begun)),
    ]


def try_right(bench: Bench, path: Path, steps: Sequence[str]) -> tuple[WorkFinding, tuple[str, ...]]:
    """One right submission, on the whole road, and the steps it holds; `steps` it should have, where that is known."""
    record, found = bench.session.answered(path)
    distances = of_right(bench.probes, ratios(bench.probes, bench.want, found.answers))
    losses = tuple(_lost(record, path.name, steps))
    held = tuple(step.id for step in record.steps if step.status != "not_attempted")
    return WorkFinding(kind="right", tried=1, losses=losses, distances=tuple(distances)), held


def try_seeds(bench: Bench, seeds: Sequence[int]) -> WorkFinding:
    """The solution on these seeds, judged only; in float64 it is the standard itself, in others it is held to it.

    A step whose answers hold no tensor, a figure or a count, is asked on the first of these seeds alone.
    """
    first, *others = seeds
    made = {first: probes_of(bench.lesson, first)}
    plain = together(bench.run, _marked(made), bench.worker, end())
    numeric = {probe.step for probe in made[first] if _has_tensors(plain[f"{first}:{probe.id}"])}
    more = {seed: [p for p in probes_of(bench.lesson, seed) if p.step in numeric] for seed in others}
    plain |= together(bench.run, _marked(more), bench.worker, end()) if more else {}
    made |= more
    asked = _marked(made)
    rounded = [probe for probe in asked if probe.dtype != EXACT and _has_tensors(plain[probe.id])]
    precise = reference_run(bench.lesson, bench.reference.modules, exact=True)
    exact = together(precise, rounded, bench.worker, end())
    subjects: list[Subject] = []
    for seed, probes in made.items():
        cases: dict[str, list[Case]] = {}
        for probe in probes:
            key = f"{seed}:{probe.id}"
            case = Case(probe, plain[key], exact.get(key, plain[key]).values)
            cases.setdefault(probe.step, []).append(case)
        subjects.append(cases)
    found = judge_each(bench.checks, subjects, [step.id for step in bench.lesson.steps])
    losses = [
        Loss(who=f"seed {seed}", step=verdict.step, check=verdict.id, message=verdict.message)
        for seed, verdicts in zip(seeds, found, strict=True)
        for verdict in verdicts
        if verdict.status != "passed" and verdict.step in {probe.step for probe in made[seed]}
    ]
    return WorkFinding(kind="seeds", tried=len(seeds), losses=tuple(losses))


def _marked(made: Mapping[int, Sequence[Probe]]) -> list[Probe]:
    """The probes of all seeds, each with its seed in its id."""
    return [replace(p, id=f"{seed}:{p.id}") for seed, probes in made.items() for p in probes]


def _lost(record: Record, who: str, steps: Sequence[str] = ()) -> list[Loss]:
    """What right work lost in the steps it holds, and the steps that should be there and are not."""
    attempted = [step for step in record.steps if step.status != "not_attempted"]
    missing = [name for name in steps if name not in {step.id for step in attempted}]
    losses = [Loss(who=who, step=name, check="", message="is not attempted") for name in missing]
    if not attempted:
        losses.append(Loss(who=who, step="", check="", message="nothing of the lesson was found in it"))
    for step in attempted:
        failed = [check for check in step.checks if check.status != "passed" and check.max_points]
        losses += [Loss(who=who, step=step.id, check=check.id, message=check.message) for check in failed]
        if not failed and (step.score < step.max_score or step.review):
            said = step.note or " ".join(step.review) or f"{step.score:g} of {step.max_score:g} points"
            losses.append(Loss(who=who, step=step.id, check="", message=said))
    return losses


def _mistaken(record: Record) -> list[Loss]:
    return [
        Loss(who="solution", step=step.id, check="", message=f"is said to have the mistake {mistake.id}")
        for step in record.steps
        for mistake in step.mistakes
    ]


def _has_tensors(answer: Answer) -> bool:
    return any(isinstance(value, TensorValue) for value in answer.values.values())
