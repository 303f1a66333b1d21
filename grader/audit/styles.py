"""Right submissions on many seeds: their answers alone are judged, and how far they are from the expected ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from grader.asking import gather
from grader.cases import Case
from grader.hidden import Expected
from grader.probes import Probe
from grader.requests import Run, learner_run
from grader.source import read_submission
from grader.submission import Submission
from grader.transcript import Answer

from .bench import Bench, end
from .distances import merged, of_right, ratios
from .findings import Distance, Loss, WorkFinding
from .judging import Subject, judge_each


def try_style(bench: Bench, path: Path, seeds: Sequence[int]) -> WorkFinding:
    """One right submission on these seeds, the steps it holds in one process each."""
    submission = read_submission(path, bench.lesson)
    run = learner_run(bench.lesson, submission)
    steps = [step.id for step in bench.lesson.steps if _held(bench, run, submission, step.id)]
    subjects: list[Subject] = []
    distances: list[Distance] = []
    for seed in seeds:
        probes = [probe for probe in bench.probes_of(seed) if probe.step in steps]
        want = bench.want_of(seed)
        got = _answers(bench, run, probes)
        subjects.append(_subject(probes, got, want))
        distances += of_right(probes, ratios(probes, want, got))
    found = judge_each(bench.checks, subjects, steps)
    losses = [
        Loss(who=f"{path.name}, seed {seed}", step=one.step, check=one.id, message=one.message)
        for seed, verdicts in zip(seeds, found, strict=True)
        for one in verdicts
        if one.status != "passed"
    ]
    return WorkFinding(kind="styles", tried=len(seeds), losses=tuple(losses), distances=merged(distances))


def _held(bench: Bench, run: Run, submission: Submission, step_id: str) -> bool:
    """Whether a submission holds a step: its file, or in a lone file any of its names."""
    from grader.pipeline import asked_steps

    return step_id in asked_steps(bench.lesson, submission, run)


def _answers(bench: Bench, run: Run, probes: Sequence[Probe]) -> Mapping[str, Answer]:
    once = [replace(probe, again=False) for probe in probes]
    return gather(run, once, {}, bench.jailed, end(), 2).answers


def _subject(
    probes: Sequence[Probe], got: Mapping[str, Answer], want: Mapping[str, Mapping[str, Expected]]
) -> Subject:
    cases: dict[str, list[Case]] = {}
    for probe in probes:
        if probe.id in got:
            cases.setdefault(probe.step, []).append(Case(probe, got[probe.id], want.get(probe.id, {})))
    return cases
