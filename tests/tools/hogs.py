"""`make test-hogs`: hogs of each kind graded beside ten honest submissions, whose records must be those made alone.

A hog takes all it can get of one thing, in every step, for as long as it is let. The honest ones are graded two at a
time by processes of their own, as a class would be.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tests.tools.golden_tree import GOLDEN
from tests.tools.hostile_tools import below

ROOT = Path(__file__).resolve().parents[2]
STEPS = ("project", "attend", "concat", "output", "module", "cross", "library", "cost", "heads")
SEED = 7
AT_A_TIME = 2
END_SECONDS = 10  # until the last process of a stopped grade is gone
GRADE_SECONDS = 300  # of one honest grade on a busy machine; a grade's own clock ends it long before

# What each hog does while its file is imported.
HOGS: Mapping[str, str] = {
    "cpu": "while True:\n    pass\n",
    "memory": (
        "held = []\nwhile True:\n    try:\n        held.append(b'x' * (32 << 20))\n"
        "    except MemoryError:\n        pass\n"
    ),
    "disk": (
        "import os, tempfile\nnumber = 0\nwhile True:\n    number += 1\n    try:\n"
        "        with open(os.path.join(tempfile.gettempdir(), f'hog{number}'), 'wb') as file:\n"
        "            while True:\n                file.write(b'x' * (1 << 20))\n"
        "    except OSError:\n        number %= 200\n"
    ),
    "prints": "import sys\nwhile True:\n    print('x' * 100_000)\n    sys.stderr.write('y' * 100_000)\n",
    "processes": (
        "import os, threading, time\ndef spin():\n    while True:\n        pass\nwhile True:\n    try:\n"
        "        threading.Thread(target=spin, daemon=True).start()\n    except BaseException:\n        pass\n"
        "    try:\n        if not os.fork():\n            spin()\n    except BaseException:\n        time.sleep(0.001)\n"
    ),
}  # fmt: skip
HONEST = (
    "right/baseline_all_nine.py", "right/einsum_everywhere.py", "right/loop_over_heads.py", "right/colab_notebook.ipynb",
    "right/zipped_on_a_mac.zip", "right/buffers", "broken/right", "broken/class_misspelled", "broken/half_of_cross",
    "broken/returns_nan",
)  # fmt: skip


def hog(folder: Path, kinds: Sequence[str]) -> Path:
    """A submission all of whose steps hog, each one kind after the other."""
    folder.mkdir()
    for number, step in enumerate(STEPS):
        text = HOGS[kinds[number % len(kinds)]]
        (folder / f"{step}.py").write_text(f"{text}\ndef {step}(*_):\n    pass\n", "utf-8")
    return folder


def command(submission: Path) -> list[str]:
    """The command that grades a submission and prints its record alone."""
    return [sys.executable, "-m", "grader", "grade", str(submission), "--seed", str(SEED), "--json", "-"]


def graded(submission: Path) -> dict[str, Any]:
    """The record of a submission without its time; what it says where no record was made."""
    done = subprocess.run(
        command(submission), cwd=ROOT, capture_output=True, text=True, timeout=GRADE_SECONDS, check=False
    )
    try:
        found: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        return {"exit": done.returncode, "said": done.stderr}
    return {key: value for key, value in found.items() if key != "seconds"}


def all_graded(submissions: Sequence[Path]) -> list[dict[str, Any]]:
    """The records of submissions, graded two at a time."""
    with ThreadPoolExecutor(AT_A_TIME) as pool:
        return list(pool.map(graded, submissions))


class Hogging(AbstractContextManager["Hogging"]):
    """Grades a hog, again and again, as long as the block lasts.

    `grades` were begun, `at_work` was all that ran of the last.
    """

    def __init__(self, submission: Path) -> None:
        self.grades = 0
        self.at_work: dict[int, str] = {}
        self._submission, self._over = submission, False
        self._pool = ThreadPoolExecutor(1)
        self._running: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self._begin()
        self._done = self._pool.submit(self._again)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over = True
        assert self._running is not None
        pid = self._running.pid
        self.at_work = {each: birth(each) for each in (pid, *below(pid)) if birth(each)}
        while not self._done.done():  # one more may have begun just now
            self._running.send_signal(signal.SIGTERM)
            wait([self._done], 1)
        self._done.result()
        self._pool.shutdown()

    def _begin(self) -> None:
        self._running = subprocess.Popen(
            command(self._submission), cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        self.grades += 1

    def _again(self) -> None:
        while self._running is not None:
            self._running.wait()
            if self._over:
                return
            self._begin()


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of the honest beside one hog: whose record is another than alone; and of the hog's own
    processes: how many there were when it was stopped, and which were left.
    """

    hog: str
    changed: tuple[str, ...]
    seconds: float
    hogged: int
    processes: int
    left: tuple[int, ...]


def beside(kinds: Sequence[str], honest: Sequence[Path], alone: Sequence[Mapping[str, Any]]) -> Outcome:
    """Grade honest submissions beside a hog, and hold their records against those made alone."""
    with tempfile.TemporaryDirectory() as place:
        submission = hog(Path(place) / "hog", kinds)
        began = time.monotonic()
        with Hogging(submission) as hogging:
            found = all_graded(honest)
        took = time.monotonic() - began
    pairs = zip(honest, alone, found, strict=True)
    changed = tuple(f"{path.name}: {difference(one, two)}" for path, one, two in pairs if one != two)
    end = time.monotonic() + END_SECONDS
    while alive(hogging.at_work) and time.monotonic() < end:
        time.sleep(0.05)
    left = tuple(alive(hogging.at_work))
    return Outcome(" and ".join(kinds), changed, took, hogging.grades, len(hogging.at_work), left)


def difference(alone: Mapping[str, Any], found: Mapping[str, Any]) -> str:
    """The first thing that two records differ in, in a few words."""
    if "steps" not in alone or "steps" not in found:
        return f"{str(alone)[:200]}; beside the hog {str(found)[:200]}"
    for one, two in zip(alone["steps"], found["steps"], strict=True):
        if one != two:
            now = f"{two['status']} ({two['score']}), {two['note']}"
            return f"{one['id']} is {one['status']} ({one['score']}); beside the hog {now}"
    keys = [key for key in alone if alone[key] != found.get(key)]
    return f"{keys[0]} is {alone[keys[0]]}; beside the hog {found.get(keys[0])}"


def alive(started: Mapping[int, str]) -> list[int]:
    """Those of some processes, known by when each began, that are still at work."""
    return [pid for pid, when in started.items() if birth(pid) == when]


def birth(pid: int) -> str:
    """When a process began, in the kernel's ticks; "" when it is gone, or only waits to be reaped."""
    try:
        words = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if words[0] == "Z" else words[19]


def main() -> int:
    """Every kind of hog beside all the honest ones; one line a hog, 1 when any honest record was another."""
    honest = [GOLDEN / name for name in HONEST]
    began = time.monotonic()
    alone = all_graded(honest)
    sys.stdout.write(f"alone: {len(honest)} honest records in {time.monotonic() - began:.0f} s\n")
    failed = False
    for kind in HOGS:
        outcome = beside([kind], honest, alone)
        failed = failed or bool(outcome.changed or outcome.left)
        said = "; ".join(outcome.changed) or "all honest records as made alone"
        stopped = f"{outcome.processes} processes stopped, {len(outcome.left)} left"
        times = f"{outcome.seconds:5.0f} s, {outcome.hogged} grades of hogs"
        sys.stdout.write(f"{outcome.hog:10}{times}, {stopped}: {said}\n")
        sys.stdout.flush()
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
