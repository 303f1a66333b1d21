"""Asks a worker and gathers what came home: a death or a hang costs its probe, the rest is asked again."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from grader.core.errors import MachineError
from grader.core.text import printable
from grader.judging.failure_text import stopped
from grader.lesson.answers import Answer, Loading, Transcript, read_loading
from grader.lesson.inputs import answer_of
from grader.lesson.moving import SAVED, first_half, moves, second_half
from grader.lesson.probes import Probe
from grader.sandbox.client import Worker
from grader.sandbox.frames import Group

from .run import Run

ROUNDS = 3  # how often a step is asked in all, when something stops it
DEATHS = 12  # of whole workers, in one grade
AGAIN, MOVED = "again:", "moved:"
KILLED = "signal SIGKILL"
UNASKED = ("stopped", "broken")  # outcomes after which a probe is not asked for a second time


@dataclass(slots=True)
class _Asked:
    """A group of probes of one step that is still to be answered."""

    step: str
    probes: list[Probe]
    again: bool = False
    moved: bool = False  # second halves: of what came home from the first ones
    rounds: int = 0
    killed: bool = False


@dataclass(slots=True)
class _Gathered:
    """What has come home so far; lives only while one transcript is being gathered."""

    limits: Mapping[str, float]
    loadings: dict[str, Loading] = field(default_factory=dict)
    answers: dict[str, Answer] = field(default_factory=dict)
    again: dict[str, Answer] = field(default_factory=dict)
    prints: dict[str, str] = field(default_factory=dict)

    def store(self, asked: _Asked) -> dict[str, Answer]:
        """Where a group's answers belong."""
        return self.again if asked.again else self.answers

    def left(self, asked: _Asked) -> list[Probe]:
        """A group's probes that have no answer yet."""
        return [probe for probe in asked.probes if probe.id not in self.store(asked)]

    def keep(self, asked: _Asked, group: Group) -> None:
        """Take over what a group sent; of two answers to one probe the first counts."""
        wanted = {probe.id: probe for probe in asked.probes}
        for head in group.frames:
            kind, probe = head.get("kind"), wanted.get(str(head.get("probe")))
            if kind == "answer" and probe is not None:
                self.store(asked).setdefault(probe.id, answer_of(head, probe))
            elif kind == "loaded" and asked.step not in self.loadings:
                self.loadings[asked.step] = read_loading(head)
            elif kind == "done" and isinstance(head.get("prints"), str):
                self.prints.setdefault(asked.step, self._printed(head))

    def _printed(self, head: Mapping[str, object]) -> str:
        limit = int(self.limits.get("print_kib", 0) * 1024)
        return printable(str(head.get("prints"))[:limit], 2 * limit, keep_lines=True)

    def stop(self, asked: _Asked, how: str, what: str, probes: Sequence[Probe] | None = None) -> None:
        """Say of these probes (all that are left) that the guest was stopped, and by what."""
        during = what if what == "import" else ""
        words = stopped(how, self.limits, during)
        if asked.step not in self.loadings:
            self.loadings[asked.step] = Loading(stopped=words)
        for probe in self.left(asked) if probes is None else probes:
            self.store(asked)[probe.id] = Answer(probe.id, "stopped", message=words, during=during)

    def fault(self, asked: _Asked, words: str) -> None:
        """Say of all that is left of a group that it could not be asked, through no fault of the guest's."""
        self.loadings.setdefault(asked.step, Loading(fault=words))
        for probe in self.left(asked):
            self.store(asked)[probe.id] = Answer(probe.id, "broken", message=words)


def gather(
    run: Run,
    probes: Sequence[Probe],
    forbidden: Mapping[str, Sequence[str]],
    worker: Worker,
    deadline: float,
    side_by_side: int,
) -> Transcript:
    """Every step's answers, each step in a process of its own; what is asked for twice has another one.

    `deadline` (monotonic seconds) bounds the whole. Raises MachineError when no worker can be started.
    """
    limits = run.shared["limits"]
    assert isinstance(limits, Mapping)
    got = _Gathered({str(name): float(value) for name, value in limits.items()})
    there = [probe for probe in probes if probe.step in run.modules]
    waiting = _groups([first_half(probe) if moves(probe) else probe for probe in there])
    later = _groups([probe for probe in there if probe.again], again=True)
    later |= _groups([probe for probe in there if moves(probe)], moved=True)
    one_file = len(set(run.modules.values())) == 1
    deaths = 0
    first = True
    while (waiting or later) and time.monotonic() < deadline and deaths <= DEATHS:
        for key in [key for key, asked in later.items() if asked.step not in waiting]:
            _put_off(got, waiting, key, later.pop(key))
        if not waiting:
            break
        # Of one file a few groups show whether it can be imported at all; the others need not wait for that.
        now = dict(list(waiting.items())[:side_by_side] if first and one_file else waiting)
        if not deaths:
            now |= {
                key: asked
                for key, asked in later.items()
                if asked.step in now and not now[asked.step].rounds and not asked.moved
            }
        side = 1 if deaths else side_by_side
        found = _ask(run, now, forbidden, worker, deadline, side)
        died = any(group.how == "worker died" for group in found.values())
        over = _settle(got, now, found, alone=deaths > 0)
        waiting = {key: asked for key, asked in waiting.items() if key not in over}
        later = {key: asked for key, asked in later.items() if key not in over}
        if first and one_file:
            _same_for_all(got, now, found, waiting)
        deaths += died
        first = False
    for asked in (*waiting.values(), *later.values()):
        got.stop(asked, "deadline", "")
    _tell_failed_imports(got, probes)
    return Transcript(got.loadings, got.answers, got.again, got.prints)


def _groups(probes: Sequence[Probe], again: bool = False, moved: bool = False) -> dict[str, _Asked]:
    """A group for each step."""
    groups: dict[str, _Asked] = {}
    kind = AGAIN if again else MOVED if moved else ""
    for probe in probes:
        groups.setdefault(f"{kind}{probe.step}", _Asked(probe.step, [], again, moved)).probes.append(probe)
    return groups


def _put_off(got: _Gathered, waiting: dict[str, _Asked], key: str, asked: _Asked) -> None:
    """Now ask for the second time, or for the second half, but not for what was stopped the first time."""
    answers = got.answers
    if asked.moved:
        halves = [second_half(p, answers.pop(p.id + SAVED)) for p in asked.probes if p.id + SAVED in answers]
        answers.update({half.probe: half for half in halves if isinstance(half, Answer)})
        asked = replace(asked, probes=[half for half in halves if isinstance(half, Probe)])
    probes = [p for p in asked.probes if p.id not in answers or answers[p.id].outcome not in UNASKED]
    if probes:
        waiting[key] = replace(asked, probes=probes)


def _ask(
    run: Run,
    now: Mapping[str, _Asked],
    forbidden: Mapping[str, Sequence[str]],
    worker: Worker,
    deadline: float,
    side_by_side: int,
) -> dict[str, Group]:
    """One asking; every group gets an equal share of the time there is, so that none starves another."""
    # What is asked again after its step is short, and takes its time from nobody.
    first = [key for key, asked in now.items() if not (asked.again and asked.step in now)]
    share = max((deadline - time.monotonic()) * side_by_side / len(first), 1.0)
    groups = []
    for key, asked in now.items():
        names, after = forbidden.get(asked.step, ()), "" if key in first else asked.step
        groups.append(run.group(key, asked.step, asked.probes, names, turn_seconds=share, after=after))
    try:
        return worker.run(run.request(groups, side_by_side), list(now), deadline)
    except MachineError:
        if not worker.hello or worker.closed or time.monotonic() < deadline:
            raise
        return {key: Group((), "deadline", "") for key in now}


def _settle(got: _Gathered, now: Mapping[str, _Asked], found: Mapping[str, Group], alone: bool) -> set[str]:
    """Take in what came home; the keys of the groups that are over, the others are asked for the rest."""
    over = set()
    suspect = alone  # the first that was cut off by a worker's death, when each ran alone, has caused it
    for key, asked in now.items():
        group = found[key]
        if group.how == "skipped" or (asked.again and asked.step in now and group.how == "worker died"):
            continue
        got.keep(asked, group)
        asked.probes = got.left(asked)
        if not asked.probes or group.how == "deadline":
            if asked.probes:
                got.stop(asked, "deadline", "")
            over.add(key)
        elif group.how == "worker died":
            if suspect:
                got.stop(asked, "worker died", "")
                over.add(key)
            suspect = False
        elif _after_stop(got, asked, group):
            over.add(key)
    return over


def _after_stop(got: _Gathered, asked: _Asked, group: Group) -> bool:
    """Blame the probe at hand, or the import; whether that is the end of this group."""
    if group.how == KILLED and not asked.killed:  # a machine short of memory kills too, and not again
        asked.killed = True
        return False
    asked.rounds += 1
    last = asked.rounds >= ROUNDS
    if group.what == "start" and group.how != "turn":
        if last:
            got.fault(
                asked, f"no process could be set up for it on this machine ({group.how}); grade it again"
            )
        return last
    if group.how == "turn" and not last:
        return False
    if group.what == "import" or group.how in ("done", "cpu", "turn", "protocol", "disk"):
        got.stop(asked, "protocol" if group.how == "done" else group.how, group.what)
        return True
    blamed = [probe for probe in asked.probes if probe.id == group.what] or asked.probes[:1]
    got.stop(asked, group.how, group.what, blamed)
    asked.probes = got.left(asked)
    if last:
        got.stop(asked, "given up", "")
    return last or not asked.probes


def _same_for_all(
    got: _Gathered, now: Mapping[str, _Asked], found: Mapping[str, Group], waiting: dict[str, _Asked]
) -> None:
    """When importing the one file stops the guest, every step is told so without trying again."""
    for key in [key for key in now if key not in waiting]:
        if found[key].what == "import" and found[key].how not in ("done", "deadline", "worker died", "turn"):
            for asked in waiting.values():
                got.stop(asked, found[key].how, "import")
            waiting.clear()
            return


def _tell_failed_imports(got: _Gathered, probes: Sequence[Probe]) -> None:
    """Where a file could not be imported, that is the answer, not that its names are missing."""
    for probe in probes:
        report = got.loadings.get(probe.step)
        for store in (got.answers, got.again):
            answer = store.get(probe.id)
            if (
                answer is not None
                and answer.outcome == "absent"
                and report is not None
                and report.error is not None
            ):
                store[probe.id] = Answer(probe.id, "raised", raised=report.error, during="import")
