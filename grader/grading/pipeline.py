"""One grade, from a path to a record: run once in a jail, judge what came home, name what is wrong."""

from __future__ import annotations

import math
import platform
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from grader.core.errors import LessonError, MachineError
from grader.core.own_words import spared
from grader.core.records import Record, SubmissionRecord
from grader.judging.cases import Case
from grader.judging.diagnosis.matching import AskVariants
from grader.judging.judge import judge
from grader.judging.pytest_plugin import Verdict
from grader.judging.score import score_step, wrong_points
from grader.lesson.answers import Answer, Transcript
from grader.lesson.fingerprint import Expected
from grader.lesson.lesson import Lesson, Step
from grader.lesson.probes import Probe
from grader.lesson.reference import Reference
from grader.sandbox.client import Worker
from grader.sandbox.jail import SIDE_BY_SIDE
from grader.submission.model import Submission
from grader.submission.python_fault import sentence

from .accounts import Again, Standard, accounts_of
from .ask import gather
from .ask_reference import together, variants
from .quoting import quoted
from .run import Run, learner_run, mentioned, reference_run
from .second import Second
from .triage import absent, halts

VARIANT_SECONDS = 120.0  # for one question to the known mistakes


def bounded(standard: Standard, end: float) -> Standard:
    """The same standard, whose mistakes answer nothing after `end` (monotonic seconds)."""
    return standard if standard.until is None else replace(standard, ask=standard.until(end))


def expected_answers(
    lesson: Lesson, reference: Reference, probes: Sequence[Probe], worker: Worker, deadline: float
) -> dict[str, Mapping[str, Expected]]:
    """The solution's own answers to the probes, in float64. Raises LessonError when it has none."""
    run = reference_run(lesson, reference.modules, exact=True)
    judged = [probe for probe in _last_step_first(lesson, probes) if probe.judged]
    found = together(run, judged, worker, deadline)
    want: dict[str, Mapping[str, Expected]] = {}
    for probe in judged:
        answer = found.get(probe.id)
        if answer is None:
            raise MachineError(f"the reference did not answer {probe.id}")
        refused = "refuse" in " ".join(probe.tags)
        if answer.outcome != "returned" and not refused:
            raise LessonError(f"the solution fails at {probe.id}: {answer.raised or answer.message}")
        want[probe.id] = dict(answer.values)
    return want


def standard(
    lesson: Lesson, reference: Reference, probes: Sequence[Probe], worker: Worker, deadline: float
) -> Standard:
    """A standard computed afresh with the reference at hand.

    What a known mistake has answered is remembered, so that a class asks for it once.
    """
    want = expected_answers(lesson, reference, probes, worker, deadline)
    run = reference_run(lesson, reference.modules, exact=False)

    known: dict[tuple[str, tuple[str, ...]], dict[str, Answer]] = {}

    def until(end: float) -> AskVariants:
        def ask(
            step: str, asked: Sequence[Probe], sets: Mapping[str, Sequence[str]]
        ) -> Mapping[str, Mapping[str, Answer]]:
            seconds = min(VARIANT_SECONDS, end - time.monotonic())
            new = {
                key: ids for key, ids in sets.items() if not _answered(known.get((step, tuple(ids))), asked)
            }
            lacking = [
                probe
                for probe in asked
                if any(probe.id not in known.get((step, tuple(new[k])), ()) for k in new)
            ]
            found = variants(run, step, lacking, new, worker, seconds) if new and seconds > 0 else {}
            for key, answers in found.items():
                if len(sets[key]) == 1:
                    known.setdefault((step, tuple(sets[key])), {}).update(answers)
            merged = {
                key: {**known.get((step, tuple(ids)), {}), **found.get(key, {})} for key, ids in sets.items()
            }
            return {
                key: {probe.id: given[probe.id] for probe in asked if probe.id in given}
                for key, given in merged.items()
                if given
            }

        return ask

    return Standard(tuple(probes), want, reference.mistakes, until(math.inf), until)


def _last_step_first(lesson: Lesson, probes: Sequence[Probe]) -> list[Probe]:
    """The steps in reverse: a lesson's last ones import most, and then run beside all the others."""
    place = {step.id: number for number, step in enumerate(lesson.steps)}
    return sorted(probes, key=lambda probe: -place[probe.step])


def _answered(known: Mapping[str, Answer] | None, asked: Sequence[Probe]) -> bool:
    return known is not None and all(probe.id in known for probe in asked)


def jailed_run(lesson: Lesson, submission: Submission) -> Run:
    """The run of a submission in a jailed worker."""
    return learner_run(lesson, submission)


def open_run(lesson: Lesson, submission: Submission) -> Run:
    """The run of a trusted submission, as the user who asks, who may use a GPU."""
    return learner_run(lesson, submission, confined=False)


def asked_steps(lesson: Lesson, submission: Submission, run: Run) -> set[str]:
    """Steps there is something to run of."""
    lone = submission.form != "folder"
    return {
        step.id
        for step in lesson.steps
        if step.id in run.modules
        and step.file not in submission.problems
        and (not lone or mentioned(step, submission))
    }


def transcribe(
    lesson: Lesson, run: Run, probes: Sequence[Probe], steps: set[str], worker: Worker, deadline: float
) -> Transcript:
    """Run a submission's steps on all probes, once, until `deadline` (monotonic seconds) at most."""
    names = [item.name for item in lesson.forbidden]
    forbidden = {step.id: names for step in lesson.steps if step.forbid}
    asked = [probe for probe in _last_step_first(lesson, probes) if probe.step in steps]
    return gather(run, asked, forbidden, worker, deadline, SIDE_BY_SIDE)


def judge_transcript(
    lesson: Lesson,
    submission: Submission,
    run: Run,
    found: Transcript,
    standard: Standard,
    *,
    seed: int,
    environment: Mapping[str, str | int | float | bool],
    started: float,
    hidden: bool,
    second: Second | None = None,
) -> Record:
    """Verdicts, diagnosis, points: the record of a transcript; by `second` a step can be asked once more.

    Of `hidden` inputs the learner's own words tell no more than a few numbers.
    """
    found = quoted(found, submission)
    cases = _cases(lesson, submission, standard, found)
    missing = {step.id: absent(step, submission, run, found) for step in lesson.steps}
    judged = [step.id for step in lesson.steps if not missing[step.id] and step.id in cases]
    verdicts = judge(lesson.folder / "checks.py", cases, judged)
    by_step = {step.id: tuple(v for v in verdicts if v.step == step.id) for step in lesson.steps}
    fault = wrong_points([step for step in lesson.steps if step.id in judged], by_step)
    if fault:
        raise LessonError(f"{lesson.slug}: {fault}")
    again = None if second is None else Again(second, partial(_judge_step, lesson, standard))
    accounts = accounts_of(lesson, submission, found, standard, by_step, missing, again)
    steps = tuple(score_step(account) for account in accounts)
    made = Record(
        lesson=lesson.slug,
        submission=SubmissionRecord(name=submission.name, sha256=submission.sha256),
        score=sum(step.score for step in steps),
        max_score=lesson.max_score,
        seed=seed,
        steps=steps,
        environment=dict(environment),
        warnings=(*submission.warnings, *halts(found)),
        seconds=time.monotonic() - started,
    )
    return spared(made, hidden)


def _judge_step(
    lesson: Lesson, standard: Standard, step: Step, probes: Sequence[Probe], answers: Mapping[str, Answer]
) -> tuple[Verdict, ...]:
    """The verdicts on other answers to a step's probes."""
    cases = [Case(p, answers[p.id], standard.want.get(p.id, {})) for p in probes if p.id in answers]
    return judge(lesson.folder / "checks.py", {step.id: cases}, [step.id])


def environment_of(
    worker: Worker, reference: Worker | None, device: str
) -> dict[str, str | int | float | bool]:
    """Where a submission ran, in the record's words; where there was nothing to run of it, that is said."""
    asked = bool(worker.hello)
    hello = worker.hello if asked or reference is None else reference.hello
    return {
        "python": str(hello.get("python", platform.python_version())),
        "torch": str(hello.get("torch", "")),
        "device": device,
        "isolation": worker.isolation if asked else "not needed",
        "isolation_parts": worker.parts if asked else "nothing of the submission was run",
        "cpu": str(hello.get("cpu", "")),
        "platform": sys.platform,
    }


def _cases(
    lesson: Lesson, submission: Submission, standard: Standard, found: Transcript
) -> dict[str, list[Case]]:
    files = {step.id: step.file for step in lesson.steps}
    cases: dict[str, list[Case]] = {}
    for probe in standard.probes:
        answer = found.answers.get(probe.id)
        problem = submission.problems.get(files[probe.step])
        if problem is not None:
            where = files[probe.step] if submission.form == "folder" else submission.name
            words = f"{where} cannot be read: {sentence(problem)}"
            answer = Answer(probe.id, "unfit", message=words, during="import")
        if answer is not None and probe.judged:
            case = Case(probe, answer, standard.want.get(probe.id, {}), found.again.get(probe.id))
            cases.setdefault(probe.step, []).append(case)
    return cases
