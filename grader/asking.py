"""Asks a worker and gathers what came home: a death or a hang costs its probe, the rest is asked again."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from .probes import Probe
from .requests import Run
from .sandbox import Group, Worker
from .transcript import Answer, Loading, Transcript, read_answer, read_loading
from .wording import stopped

ROUNDS = 3  # how often the rest of a step is asked after a death in it
DEATHS = 12  # of whole workers, in one grade


@dataclass(slots=True)
class _Gathered:
    """What has come home so far; lives only while one transcript is being gathered."""

    loadings: dict[str, Loading] = field(default_factory=dict)
    answers: dict[str, Answer] = field(default_factory=dict)
    again: dict[str, Answer] = field(default_factory=dict)
    prints: dict[str, str] = field(default_factory=dict)


def gather(
    run: Run,
    probes: Sequence[Probe],
    forbidden: Mapping[str, Sequence[str]],
    worker: Worker,
    restart: Callable[[], Worker],
    deadline: float,
    side_by_side: int,
) -> tuple[Transcript, Worker]:
    """Every step's answers, each step in a process of its own; the worker in use at the end.

    `deadline` (monotonic seconds) bounds the whole. Raises MachineError when no worker can be started.
    """
    got = _Gathered()
    waiting = _groups(run, probes)
    rounds = dict.fromkeys(waiting, 0)
    deaths = 0
    while waiting and time.monotonic() < deadline:
        groups = [
            run.group(key, step, asked, forbidden.get(step, ())) for key, (step, asked) in waiting.items()
        ]
        found = worker.run(run.request(groups, side_by_side if not deaths else 1), list(waiting), deadline)
        suspect = True
        left: dict[str, tuple[str, list[Probe]]] = {}
        for key, (step, asked) in waiting.items():
            group = found[key]
            store = got.again if key.startswith("again:") else got.answers
            _keep(got, store, step, group)
            rest = [probe for probe in asked if probe.id not in store]
            if group.how == "done" or not rest:
                continue
            if group.how == "deadline":
                _stop(store, got, step, rest, group)
            elif group.how == "worker died":
                if suspect and deaths:
                    _stop(store, got, step, rest, group)
                else:
                    left[key] = (step, rest)
                suspect = False
            else:
                rounds[key] += 1
                left |= _after_death(got, store, key, step, rest, group, rounds[key])
        if any(group.how == "worker died" for group in found.values()):
            deaths += 1
            worker.close()
            if deaths > DEATHS:
                break
            worker = restart()
        waiting = left
    for key, (step, asked) in waiting.items():
        store = got.again if key.startswith("again:") else got.answers
        _stop(store, got, step, asked, Group((), "deadline", ""))
    _tell_failed_imports(got, probes)
    return Transcript(got.loadings, got.answers, got.again, got.prints), worker


def _tell_failed_imports(got: _Gathered, probes: Sequence[Probe]) -> None:
    """Where a file could not be imported, that is the answer, not that its names are missing."""
    for probe in probes:
        report = got.loadings.get(probe.step)
        for store in (got.answers, got.again):
            answer = store.get(probe.id)
            if answer is not None and answer.outcome == "absent" and report is not None and report.error is not None:
                store[probe.id] = Answer(probe.id, "raised", raised=report.error, during="import")


def variants(
    run: Run, step: str, probes: Sequence[Probe], sets: Mapping[str, Sequence[str]], worker: Worker, deadline: float
) -> dict[str, dict[str, Answer]]:
    """The answers of several variants of the reference to one step's probes, by variant."""
    found = worker.run(run.request([run.group(step, step, probes, (), sets)], 1), [step], deadline)
    answers: dict[str, dict[str, Answer]] = {key: {} for key in sets}
    for head in found[step].frames:
        if head.get("kind") == "answer" and str(head.get("variant")) in answers:
            answer = read_answer(head)
            answers[str(head.get("variant"))][answer.probe] = answer
        elif head.get("kind") == "loaded" and head.get("error"):
            answers.pop(str(head.get("variant")), None)
    return answers


def _groups(run: Run, probes: Iterable[Probe]) -> dict[str, tuple[str, list[Probe]]]:
    """A group for each step, and one more for the inputs that are asked for twice."""
    groups: dict[str, tuple[str, list[Probe]]] = {}
    for probe in probes:
        if probe.step in run.modules:
            groups.setdefault(probe.step, (probe.step, []))[1].append(probe)
    for probe in probes:
        if probe.again and probe.step in run.modules:
            groups.setdefault(f"again:{probe.step}", (probe.step, []))[1].append(probe)
    return groups


def _keep(got: _Gathered, store: dict[str, Answer], step: str, group: Group) -> None:
    for head in group.frames:
        kind = head.get("kind")
        if kind == "answer":
            answer = read_answer(head)
            store.setdefault(answer.probe, answer)
        elif kind == "loaded" and step not in got.loadings:
            got.loadings[step] = read_loading(head)
        elif kind == "done" and isinstance(head.get("prints"), str):
            got.prints.setdefault(step, str(head.get("prints")))


def _after_death(
    got: _Gathered, store: dict[str, Answer], key: str, step: str, rest: list[Probe], group: Group, rounds: int
) -> dict[str, tuple[str, list[Probe]]]:
    """Blame the probe at hand (or the import); what is left is asked again, a few times."""
    if group.what in ("import", "start"):
        _stop(store, got, step, rest, group)
        return {}
    blamed = [probe for probe in rest if probe.id == group.what] or rest[:1]
    _stop(store, got, step, blamed, group)
    left = [probe for probe in rest if probe.id not in store]
    if left and rounds < ROUNDS:
        return {key: (step, left)}
    for probe in left:
        store[probe.id] = Answer(probe.id, "stopped", message="was not asked again after it had been stopped")
    return {}


def _stop(store: dict[str, Answer], got: _Gathered, step: str, rest: Sequence[Probe], group: Group) -> None:
    words = stopped(group.how)
    if group.what in ("import", "start") and step not in got.loadings:
        got.loadings[step] = Loading(stopped=words)
    for probe in rest:
        store[probe.id] = Answer(probe.id, "stopped", message=words, during=group.what)
