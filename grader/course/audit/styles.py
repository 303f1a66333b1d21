"""Right submissions on many seeds: their answers alone are judged, and how far they are from the expected ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from grader.grading.ask import gather
from grader.grading.run import Run, learner_run
from grader.judging.cases import Case
from grader.lesson.answers import Answer
from grader.lesson.fingerprint import Expected
from grader.lesson.probes import Probe
from grader.submission.reader import read_submission

from .bench import Bench, end
from .distances import merged, of_right, ratios
from .findings import Distance, Loss, WorkFinding
from .judging import Subject, judge_each

AT_ONCE = 5  # seeds; a worker takes only so many answers of one step


def try_style(bench: Bench, path: Path, seeds: Sequence[int], steps: Sequence[str]) -> WorkFinding:
    """The steps that one right submission holds, on these seeds, in one process each."""
    submission = read_submission(path, bench.lesson)
    run = learner_run(bench.lesson, submission)
    subjects: list[Subject] = []
    distances: list[Distance] = []
    made = {seed: [probe for probe in bench.probes_of(seed) if probe.step in steps] for seed in seeds}
    found = [_answers(bench, run, made, seeds[at : at + AT_ONCE]) for at in range(0, len(seeds), AT_ONCE)]
    for seed, got in (pair for part in found for pair in part.items()):
        want = bench.want_of(seed)
        subjects.append(_subject(made[seed], got, want))
        distances += of_right(made[seed], ratios(made[seed], want, got))
    judged = judge_each(bench.checks, subjects, steps)
    losses = [
        Loss(who=f"{path.name}, seed {seed}", step=one.step, check=one.id, message=one.message)
        for seed, verdicts in zip(seeds, judged, strict=True)
        for one in verdicts
        if one.status != "passed"
    ]
    return WorkFinding(kind="styles", tried=len(seeds), losses=tuple(losses), distances=merged(distances))


def _answers(
    bench: Bench, run: Run, made: Mapping[int, Sequence[Probe]], seeds: Sequence[int]
) -> dict[int, Mapping[str, Answer]]:
    """What a submission answers on a few seeds, all of them asked of the same processes, each probe once."""
    asked = [replace(p, id=f"{seed}:{p.id}", again=False) for seed in seeds for p in made[seed]]
    found = gather(run, asked, {}, bench.jailed, end(), 2).answers
    return {
        seed: {
            p.id: replace(found[f"{seed}:{p.id}"], probe=p.id)
            for p in made[seed]
            if f"{seed}:{p.id}" in found
        }
        for seed in seeds
    }


def _subject(
    probes: Sequence[Probe], got: Mapping[str, Answer], want: Mapping[str, Mapping[str, Expected]]
) -> Subject:
    cases: dict[str, list[Case]] = {}
    for probe in probes:
        if probe.id in got:
            cases.setdefault(probe.step, []).append(Case(probe, got[probe.id], want.get(probe.id, {})))
    return cases
