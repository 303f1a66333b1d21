"""Asks the reference's worker: for the solution's answers, and for those of the solution with known mistakes in it."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from grader.core.errors import MachineError
from grader.lesson.answers import Answer
from grader.lesson.inputs import answer_of
from grader.lesson.probes import Probe
from grader.sandbox.client import Worker
from grader.sandbox.frames import Group

from .run import Run

HALVED = 32  # variants from which on two processes share them
ROUNDS = 2  # how often our own code is asked, when something outside ends it
FROM_OUTSIDE = ("worker died", "signal SIGKILL")


def together(run: Run, probes: Sequence[Probe], worker: Worker, deadline: float) -> dict[str, Answer]:
    """What our own reference answers: the first step in one process, all others in another, beside it."""
    steps: dict[str, list[Probe]] = {}
    for probe in probes:
        steps.setdefault(probe.step, []).append(probe)
    halves = [list(steps)[:1], list(steps)[1:]]
    groups = [
        run.group(first, first, steps[first], more={name: steps[name] for name in others})
        for first, *others in filter(None, halves)
    ]
    found = _ask(run, groups, worker, deadline)
    asked = {probe.id: probe for probe in probes}
    heads = [head for group in found.values() for head in group.frames if head.get("kind") == "answer"]
    return {str(head["probe"]): answer_of(head, asked[str(head["probe"])]) for head in heads}


def variants(
    run: Run,
    step: str,
    probes: Sequence[Probe],
    sets: Mapping[str, Sequence[str]],
    worker: Worker,
    seconds: float,
) -> dict[str, dict[str, Answer]]:
    """The answers of several variants of the reference to one step's probes, by variant.

    What has not come within `seconds` is left out; many are asked for in two halves side by side. Raises
    MachineError where they were ended from outside: without them a learner may lose points.
    """
    names = list(sets)
    halves = [names[0::2], names[1::2]] if len(names) >= HALVED else [names]
    parts = {f"{step}:{number}": half for number, half in enumerate(halves)}
    groups = [
        run.group(key, step, probes, (), {name: sets[name] for name in half}) for key, half in parts.items()
    ]
    found = _ask(run, groups, worker, time.monotonic() + seconds)
    asked = {probe.id: probe for probe in probes}
    answers: dict[str, dict[str, Answer]] = {key: {} for key in sets}
    for head in (head for key in parts for head in found[key].frames):
        if head.get("kind") == "answer" and str(head.get("variant")) in answers:
            answer = answer_of(head, asked[str(head["probe"])])
            answers[str(head.get("variant"))][answer.probe] = answer
        elif head.get("kind") == "loaded" and head.get("error"):
            answers.pop(str(head.get("variant")), None)
    return answers


def _ask(
    run: Run, groups: Sequence[Mapping[str, object]], worker: Worker, deadline: float
) -> dict[str, Group]:
    """What groups of our own code send, once more where it was ended from outside. Raises MachineError."""
    keys = [str(group["group"]) for group in groups]
    for _ in range(ROUNDS):
        found = worker.run(run.request(groups, len(groups)), keys, deadline)
        ended = [group.how for group in found.values() if group.how in FROM_OUTSIDE]
        if not ended:
            return found
    raise MachineError(f"the reference could not be run to its end ({ended[0]}); try again")
