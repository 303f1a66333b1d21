"""Runs mutants in the trusted worker, many in one child; one that kills its child costs itself alone."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

from grader.core.errors import MachineError
from grader.grading.run import Run, limits_of
from grader.judging.failure_text import stopped
from grader.lesson.answers import Answer
from grader.lesson.inputs import answer_of
from grader.lesson.lesson import Lesson
from grader.lesson.probes import Probe
from grader.sandbox.client import Worker
from grader.sandbox.frames import Group

TRIAL_SECONDS = 600.0  # for one asking
CHILD_SECONDS = 120.0  # for one child, whatever its mutants do
UNBOUNDED = {"step_cpu_seconds": 0, "processes": 0, "step_wall_seconds": 3600.0}

Answers = Mapping[str, Answer]


def trial_run(lesson: Lesson, run: Run) -> Run:
    """A run of the reference whose calls, import and memory are bounded as a learner's are."""
    limits = {**limits_of(lesson.limits), **UNBOUNDED}
    return replace(run, shared={**run.shared, "limits": limits})


def trial(
    run: Run, step: str, probes: Sequence[Probe], sources: Mapping[str, Mapping[str, str]], worker: Worker
) -> dict[str, Answers]:
    """Every mutant's answers to a step's probes; `sources` gives each one's modules that differ.

    A mutant that is stopped, by a limit or by its own death, has "stopped" for every answer it owes.
    Raises MachineError when there is not enough time, or the worker cannot be started.
    """
    answers: dict[str, dict[str, Answer]] = {key: {} for key in sources}
    waiting = list(sources)
    end = time.monotonic() + TRIAL_SECONDS
    while waiting:
        group = run.group(
            step, step, probes, (), dict.fromkeys(waiting, ()), CHILD_SECONDS,
            sources={key: sources[key] for key in waiting},
        )  # fmt: skip
        found = worker.run(run.request([group], 1), [step], end)[step]
        _keep(answers, found, probes)
        if found.how == "deadline":
            raise MachineError(f"the mutants of {step} did not come to their end; try again with more time")
        left = [key for key in waiting if len(answers[key]) < len(probes)]
        if left and found.how != "turn":
            blamed, left = left[0], left[1:]
            _stop(answers[blamed], probes, found, run)
        elif left and left == waiting:  # a whole turn for one, and it did not come to its end
            _stop(answers[left[0]], probes, found, run)
            left = left[1:]
        waiting = left
    return dict(answers)


def _keep(answers: dict[str, dict[str, Answer]], found: Group, probes: Sequence[Probe]) -> None:
    asked = {probe.id: probe for probe in probes}
    for head in found.frames:
        if head.get("kind") == "answer":
            answer = answer_of(head, asked[str(head.get("probe"))])
            answers[str(head.get("variant"))].setdefault(answer.probe, answer)


def _stop(answers: dict[str, Answer], probes: Sequence[Probe], found: Group, run: Run) -> None:
    limits = run.shared["limits"]
    assert isinstance(limits, Mapping)
    words = stopped(found.how, limits, found.what if found.what == "import" else "")
    for probe in probes:
        answers.setdefault(probe.id, Answer(probe.id, "stopped", message=words))
