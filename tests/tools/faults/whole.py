"""Whole commands under faults and under SIGKILL: what they leave, what they say, whether the next one is right."""

from __future__ import annotations

import ctypes
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.tools.faults.injector import KILL, Fault, errors_of
from tests.tools.hostile_tools import below

ROOT = Path(__file__).resolve().parents[3]
GRADER = (sys.executable, "-m", "grader")
LAUNCH = (sys.executable, "-m", "tests.tools.faults.launch")
PR_SET_CHILD_SUBREAPER = 36
LONGEST = 180.0  # seconds of one command
GONE_SECONDS = 15.0  # until nothing of a killed command runs
OLD = '{"old": true}\n'
# What the command calls before and while its workers start, and when it writes: where a fault of a whole run goes.
COLD = (
    "os.pipe", "os.dup", "os.fdopen", "subprocess._fork_exec", "tempfile.TemporaryFile", "os.read", "select.select",
    "io.open", "os.stat", "os.open", "os.write", "os.fsync", "os.replace", "os.chmod", "json.dumps", "json.loads",
    "threading.Thread.start", "pipe.write", "tempfile.mkstemp", "os.killpg",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Done:
    """How a command ended: exit code (negative: a signal), what it said, the processes that were seen below it."""

    code: int
    out: str
    err: str


def collect_orphans() -> None:
    """From now on whatever a dead command leaves behind is a child of ours, and so can be seen."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def run(
    command: Sequence[str],
    *,
    kill_after: float | None = None,
    victim_after: float | None = None,
    draw: random.Random | None = None,
    environment: Mapping[str, str] | None = None,
) -> Done:
    """Run a command; kill it, or one of the processes below it, after so many seconds."""
    process = subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, **(environment or {})},
    )  # fmt: skip
    moment = kill_after if victim_after is None else victim_after
    if moment is not None:
        end = time.monotonic() + moment
        while process.poll() is None and time.monotonic() < end:
            time.sleep(min(0.02, max(0.0, end - time.monotonic())))
        victims = [process.pid] if victim_after is None else sorted(below(process.pid))
        if victims and process.poll() is None:
            victim = (draw or random.Random(0)).choice(victims)
            try:
                os.kill(victim, signal.SIGKILL)
            except ProcessLookupError:
                pass
    out, err = process.communicate(timeout=LONGEST)
    return Done(process.returncode, out, err)


def nothing_left(label: object) -> None:
    """Every process of the command is gone. AssertionError that names those that are not."""
    end = time.monotonic() + GONE_SECONDS
    while True:
        reap()  # the first process of a jail ends only when every other one of it has been reaped
        left = below(os.getpid())
        if not left:
            return
        assert time.monotonic() < end, f"{label}: still running: {left}"
        time.sleep(0.05)


def reap() -> None:
    """Take note of the end of every orphan."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return


def record_of(out: Path) -> dict[str, Any] | None:
    """The record on the disk, None where there is none; ValueError for half of one."""
    return dict(json.loads(out.read_text("utf-8"))) if out.exists() else None


def told(record: Mapping[str, Any]) -> dict[str, tuple[str, float]]:
    """What a record says of each step."""
    return {step["id"]: (step["status"], step["score"]) for step in record["steps"]}


class Command:
    """`grader grade` of one small submission, whose right record is known."""

    def __init__(self, submission: Path, folder: Path) -> None:
        self.folder = folder
        self.folder.mkdir()
        self.out = folder / "record.json"
        self.words = ("grade", str(submission), "--seed", "7", "--json", str(self.out))
        self.seconds = 0.0
        self.right = self.clean()

    def clean(self) -> dict[str, tuple[str, float]]:
        """The command without a fault. AssertionError when it does not come to its end."""
        began = time.monotonic()
        done = run((*GRADER, *self.words))
        self.seconds = time.monotonic() - began  # measured anew: a busy machine changes its pace
        assert done.code == 0, done
        record = record_of(self.out)
        assert record is not None
        return told(record)

    def fresh(self, *, old: bool) -> None:
        """The place of the record before a run: with an old one, or empty."""
        for path in self.folder.iterdir():
            path.unlink()
        if old:
            self.out.write_text(OLD, "utf-8")

    def whole(self, label: object, *, old: bool, strays: int = 0) -> bool:
        """Whether a new record is there. AssertionError when it is half, wrong, or the old one is gone."""
        assert sum(path != self.out for path in self.folder.iterdir()) <= strays, f"{label}: left beside it"
        record = record_of(self.out)
        if record is None:
            assert not old, f"{label}: the old record is gone"
            return False
        if record == json.loads(OLD):
            return False
        lost = {name: got for name, got in told(record).items() if got != self.right[name]}
        assert all(status == "broken" for status, _ in lost.values()), (
            f"{label}: the learner pays for it: {lost}"
        )
        return True

    def killed(self, moment: float, *, old: bool) -> str:
        """Kill the grader after so many seconds."""
        self.fresh(old=old)
        done = run((*GRADER, *self.words), kill_after=moment)
        nothing_left(f"killed after {moment:.3f} s")
        new = self.whole(f"killed after {moment:.3f} s", old=old, strays=1)
        return f"{'killed' if done.code < 0 else 'had ended'}, {'a whole record' if new else 'no new record'}"

    def bereft(self, moment: float, draw: random.Random) -> str:
        """Kill one of the grader's processes after so many seconds."""
        self.fresh(old=False)
        done = run((*GRADER, *self.words), victim_after=moment, draw=draw)
        return self.ended(done, f"a worker killed after {moment:.3f} s")

    def hurt(self, fault: Fault) -> str:
        """Run it with a fault."""
        self.fresh(old=fault.nth % 2 == 0)
        done = run((*LAUNCH, "--fault", str(fault), "--", *self.words))
        if fault.error == KILL and done.code < 0:
            nothing_left(fault)
            self.whole(fault, old=fault.nth % 2 == 0, strays=1)
            return "killed"
        return self.ended(done, fault, refusable=fault.error == "EACCES", old=fault.nth % 2 == 0)

    def ended(self, done: Done, label: object, *, refusable: bool = False, old: bool = False) -> str:
        """Exit 0 with the right record, or 3 with one line. AssertionError for all else."""
        nothing_left(label)
        new = self.whole(label, old=old)
        assert done.code in ((0, 2, 3) if refusable else (0, 3)), f"{label}: {done}"
        if done.code == 0:
            assert new, f"{label}: no record"
            return "right all the same"
        lines = done.err.strip().splitlines()
        broken = new and record_of(self.out) is not None
        assert broken or len(lines) == 1, f"{label}: {done.err}"
        assert "Traceback" not in done.err, f"{label}: {done.err}"
        return "broken" if broken and not lines else f"exit {done.code}"


def faults(command: Command, count: int, seed: int) -> Counter[str]:
    """So many whole commands with a fault in each."""
    draw = random.Random(seed)
    ends: Counter[str] = Counter()
    for number in range(count):
        target = COLD[number % len(COLD)]
        error = KILL if draw.random() < 0.15 else draw.choice(errors_of(target))
        ends[command.hurt(Fault(target, draw.choice((1, 1, 2, 3, 4, 6, 9, 15, 40)), error))] += 1
        if number % 10 == 9:
            assert command.clean() == command.right, "the next grade is not right"
    return ends


def kills(command: Command, count: int, seed: int) -> Counter[str]:
    """So many graders killed, at random moments of their run."""
    draw = random.Random(seed)
    ends: Counter[str] = Counter()
    for number in range(count):
        share = (
            draw.uniform(0.0, 1.05) if number % 4 else draw.uniform(0.8, 1.3)
        )  # towards its end, when it writes
        ends[command.killed(share * command.seconds, old=number % 2 == 0)] += 1
        if number % 10 == 9:
            assert command.clean() == command.right, "the next grade is not right"
    return ends


def bereaved(command: Command, count: int, seed: int) -> Counter[str]:
    """So many graders that lose one of their processes at a random moment."""
    draw = random.Random(seed)
    ends: Counter[str] = Counter()
    for number in range(count):
        ends[command.bereft(draw.uniform(0.2, command.seconds), draw)] += 1
        if number % 10 == 9:
            assert command.clean() == command.right, "the next grade is not right"
    return ends
