"""Grades one small submission again and again in one session, with one fault in each grade."""

from __future__ import annotations

import itertools
import json
import os
import random
import shutil
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from grader.core.errors import GraderError, in_one_line
from grader.core.files import check_places, write_text
from grader.core.records import Record
from grader.grading.session import Session
from tests.tools.faults.injector import KILL, TARGETS, Fault, Injector, errors_of
from tests.tools.hostile_tools import BROKEN, SEED, SLUG, settles

OLD = '{"old": true}\n'
# After a fault in the middle of a talk with the worker it is started anew, which takes seconds.
DEADLY = (
    "os.read", "select.select", "json.loads", "grader.sandbox.client.unpack", "grader.sandbox.frames.unpack",
    "pipe.write", "pipe.flush", "threading.Thread.start",
)  # fmt: skip
WORKERS = 6  # processes of a session that has both of its workers


@dataclass(frozen=True, slots=True)
class Ended:
    """How a grade ended: as the command's exit code, its one line, its record."""

    code: int
    line: str
    record: Record | None


class Bench:
    """A session, a submission of one right step, a place for its record, and an injector around them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "out"
        self.folder.mkdir()
        self.out = self.folder / "record.json"
        self.submission = folder / "small"
        self.submission.mkdir()
        shutil.copy(BROKEN / "right" / "concat.py", self.submission)
        self.injector = Injector()
        self.session = Session(SLUG, SEED)
        self.right = self.clean()

    def clean(self) -> dict[str, tuple[str, float]]:
        """The statuses and points of a grade without a fault. AssertionError when it does not come to its end."""
        ended = self.grade()
        assert ended.code == 0, f"without a fault the grade ended with {ended.code}: {ended.line}"
        assert ended.record is not None
        return told(ended.record)

    def grade(self) -> Ended:
        """One grade, as the command does it."""
        try:
            check_places([self.out])
            record = self.session.grade(self.submission)
            write_text(self.out, record.to_json())
        except GraderError as error:
            return Ended(error.exit_code, str(error), None)
        except Exception as error:  # noqa: BLE001  (the command's own last net)
            return Ended(3, in_one_line(error), None)
        broken = any(step.status == "broken" for step in record.steps)
        return Ended(3 if broken else 0, "", record)

    def calls(self) -> dict[str, int]:
        """How often each target is called in a grade."""
        self.injector.arm(None)
        self.clean()
        self.injector.disarm()
        return dict(self.injector.counts)

    def hurt(self, fault: Fault, *, old: bool) -> str:
        """One grade with a fault, held against the promises; how it ended, in a word or two."""
        self.out.unlink(missing_ok=True)
        if old:
            self.out.write_text(OLD, "utf-8")
        self.injector.arm(fault)
        ended = self.grade()
        self.injector.disarm()
        self.held(fault, ended, old)
        if ended.code:
            assert self.clean() == self.right, f"{fault}: the next grade is not right"
        if not self.injector.fired:
            return "not met"
        return {0: "right all the same", 2: "exit 2", 3: "broken" if ended.record else "exit 3"}[ended.code]

    def held(self, fault: Fault, ended: Ended, old: bool) -> None:
        """Nothing is the learner's loss, nothing is half, nothing is left. AssertionError that names the fault."""
        assert ended.code in ((0, 2, 3) if fault.error == "EACCES" else (0, 3)), f"{fault}: {ended}"
        if ended.record is None:
            assert ended.line, f"{fault}: no reason was said"
            assert "\n" not in ended.line.strip(), f"{fault}: {ended.line}"
        else:
            same = told(ended.record)
            changed = {name: got for name, got in same.items() if got != self.right[name]}
            lost = {name: got for name, got in changed.items() if got[0] not in ("broken", "not_reached")}
            assert not lost, f"{fault}: the learner pays for it: {lost}"
            assert not changed or ended.code == 3, f"{fault}: {changed}"
        names = {path.name for path in self.folder.iterdir()}
        assert names <= {self.out.name}, f"{fault}: left beside the record: {names}"
        if self.out.exists():
            text = self.out.read_text("utf-8")
            whole = old and text == OLD
            assert whole or json.loads(text)["version"] == 1, f"{fault}: half a record"
        else:
            assert not old, f"{fault}: the old record is gone"

    def close(self) -> None:
        """End the session and everything below it."""
        self.injector.remove()
        self.session.__exit__(None, None, None)


def told(record: Record) -> dict[str, tuple[str, float]]:
    """What a record says of each step."""
    return {step.id: (step.status, step.score) for step in record.steps}


@contextmanager
def bench(folder: Path) -> Iterator[Bench]:
    """A bench, closed at its end; AssertionError when a process is left of it."""
    made = Bench(folder)
    made.injector.install()
    try:
        yield made
    finally:
        made.close()
    assert settles(0, 15.0), "a process is left"


def drawn(calls: dict[str, int], count: int, seed: int) -> Iterator[Fault]:
    """So many faults, at any call of each target in turn; those that cost a worker its life come up less often."""
    draw = random.Random(seed)
    called = [target for target in TARGETS if calls.get(target)]
    rounds = [called if number == 0 else [t for t in called if t not in DEADLY] for number in range(8)]
    targets = itertools.cycle([target for each in rounds for target in each])
    for target in itertools.islice(targets, count):
        yield Fault(target, draw.randint(1, calls[target]), draw.choice(errors_of(target)))


def many(folder: Path, count: int, seed: int) -> Counter[str]:
    """So many grades with a fault; how they ended."""
    ends: Counter[str] = Counter()
    with bench(folder) as made:
        calls = made.calls()
        files = len(os.listdir("/proc/self/fd"))  # noqa: PTH208
        for number, fault in enumerate(drawn(calls, count, seed)):
            assert fault.error != KILL
            ends[made.hurt(fault, old=number % 2 == 0)] += 1
            assert settles(WORKERS + 2, 10.0), f"{fault}: processes are left"
        left = len(os.listdir("/proc/self/fd"))  # noqa: PTH208
        assert left <= files + 8, f"{left - files} descriptors were not closed"
    return ends
