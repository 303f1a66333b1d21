"""`make bench`: what a grade costs, as ratios to floors measured in the same run. It states, it never fails."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOLUTION = ROOT / "reference" / "multi_head_attention" / "solution"
IMPORT = [sys.executable, "-c", "import torch"]


def main() -> None:
    """Measure and print one line a figure: what, its median, its ratio, the bar it should keep."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=5)
    rounds = options.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        bare = Path(folder) / "without_heads"
        shutil.copytree(SOLUTION, bare, ignore=shutil.ignore_patterns("heads.py", "__pycache__"))
        wrong = Path(folder) / "wrong"
        shutil.copytree(SOLUTION, wrong, ignore=shutil.ignore_patterns("__pycache__"))
        text = (wrong / "attend.py").read_text("utf-8")
        (wrong / "attend.py").write_text(text.replace("q / math.sqrt(q.shape[-1])", "q"), "utf-8")
        commands = {
            "import torch": IMPORT,
            "grade, the solution": grade(SOLUTION),
            "grade, without heads.py": grade(bare),
            "grade, one mistake": grade(wrong),
        }
        walls, peaks = measure(commands, rounds)
    floor, memory = statistics.median(walls["import torch"]), statistics.median(peaks["import torch"])
    print(
        f"floor: import torch {floor:.2f} s, {memory / 2**20:.0f} MiB; {os.cpu_count()} cores, {rounds} rounds\n"
    )
    bars = {"grade, the solution": 1.6, "grade, without heads.py": 1.3}
    for name in list(commands)[1:]:
        ratios = [wall / base for wall, base in zip(walls[name], walls["import torch"], strict=True)]
        bar = f"bar {bars[name]} x" if name in bars else "no bar"
        took = statistics.median(walls[name])
        print(f"{name:28}{took:6.2f} s  {statistics.median(ratios):5.2f} x import torch  ({bar})")
    most = statistics.median(peaks["grade, the solution"])
    print(
        f"{'peak memory, all processes':28}{most / 2**20:6.0f} MiB {most / memory:5.2f} x import torch  (bar 2.5 x)"
    )
    for line in [*inside(), *walls_cost()]:
        print(line)


def grade(path: Path) -> list[str]:
    """The command that grades a path, quietly."""
    return [sys.executable, "-m", "grader", "grade", str(path), "--seed", "7", "--json", "-"]


def measure(
    commands: dict[str, list[str]], rounds: int
) -> tuple[dict[str, list[float]], dict[str, list[float]]]:
    """Wall seconds and peak bytes of each command, in turn, after one round that does not count."""
    walls: dict[str, list[float]] = {name: [] for name in commands}
    peaks: dict[str, list[float]] = {name: [] for name in commands}
    for number in range(rounds + 1):
        for name, command in commands.items():
            started = time.perf_counter()
            process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL)
            watch = Watch(process.pid)
            process.wait()
            took = time.perf_counter() - started
            watch.stop()
            if number:
                walls[name].append(took)
                peaks[name].append(watch.peak)
    return walls, peaks


class Watch:
    """Samples the proportional memory of a process and everything below it."""

    def __init__(self, pid: int) -> None:
        self.peak = 0.0
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(pid,))
        self._thread.start()

    def stop(self) -> None:
        """End the sampling."""
        self._done.set()
        self._thread.join()

    def _run(self, pid: int) -> None:
        while not self._done.wait(0.1):
            self.peak = max(self.peak, sum(proportional(each) for each in family(pid)))


def family(pid: int) -> list[int]:
    """A process and its descendants."""
    found, waiting = [], [pid]
    while waiting:
        each = waiting.pop()
        found.append(each)
        try:
            waiting += [int(word) for word in Path(f"/proc/{each}/task/{each}/children").read_text().split()]
        except OSError:
            continue
    return found


def proportional(pid: int) -> float:
    """Bytes of memory that a process accounts for, shared pages divided among their users."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return sum(float(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))


def inside() -> list[str]:
    """Figures from within: a child's cost, a class's pace, the judge alone."""
    from grader.grading.session import Session

    with Session(None, 7) as session:
        session.grade(SOLUTION)
        pace = median(lambda: session.grade(SOLUTION), 3)
        judging = judge_seconds(session)
    with_fork = median(fork_once, 20)
    return [
        f"{'judging alone':28}{judging * 1000:6.0f} ms  (bar 150 ms)",
        f"{'one more of a class':28}{pace:6.2f} s, one after the other, nine steps with pictures",
        f"{'fork of a bare process':28}{with_fork * 1000:6.2f} ms",
    ]


# Runs as the zygote does, at its size, and prints the median milliseconds of a child without and with its walls.
CHILDREN = """
import json, os, statistics, sys, time
from grader_worker.zygote import prepare
from grader_worker.walls import planned
from grader_worker.child import lock_in
prepare()
walls, uid = planned(os.environ["GRADER_WALLS"]), os.environ["GRADER_UID"]
limits = {"memory_mib": 4096, "step_cpu_seconds": 60, "processes": 256}
took = {False: [], True: []}
for number in range(2 * ROUNDS + 10):
    walled = number % 2 == 1
    began = time.perf_counter()
    pid = os.fork()
    if not pid:
        try:
            if walled:
                lock_in(limits, int(uid) if uid else None, walls)
            os._exit(0)
        finally:
            os._exit(1)
    _, status, used = os.wait4(pid, 0)
    assert status == 0, status
    if number >= 10:
        took[walled].append((time.perf_counter() - began, used.ru_utime + used.ru_stime))
sys.stdout.write(json.dumps([statistics.median(one[place] for one in took[each]) * 1000
                             for each in (False, True) for place in (0, 1)]))
"""


def walls_cost(rounds: int = 50) -> list[str]:
    """What the walls cost a child that does nothing, fork to end, less a child of a plain process without them."""
    from grader.sandbox import jail

    program = jail.BOOT.split("from grader_worker.zygote")[0] + CHILDREN.replace("ROUNDS", str(rounds))
    launch = jail.bare()
    ways: dict[str, tuple[Sequence[str], dict[str, str]]] = {"confined": (launch.command, dict(launch.env))}
    bwrap = shutil.which("bwrap")
    if bwrap:
        ways["sealed"] = (jail._bubblewrap(bwrap), {})
    bars = {"confined": 20, "sealed": 35}
    plain, lines = [0.0, 0.0], []
    try:
        for level, (command, environment) in ways.items():
            words = [program if word == jail.BOOT else word for word in command]
            done = subprocess.run(words, env=environment, cwd=os.sep, capture_output=True, check=False)
            title = f"a child's walls, {level}"
            if done.returncode:
                why = (done.stderr.decode().strip().splitlines() or [f"exit {done.returncode}"])[-1]
                lines.append(f"{title:28} not to be had here: {why}")
                continue
            wall, used, walled, more = json.loads(done.stdout)
            plain = [wall, used] if level == "confined" else plain
            lines.append(
                f"{title:28}{walled - plain[0]:6.1f} ms, {more - plain[1]:.1f} ms of them computing "
                f"(bar {bars[level]} ms; a child without walls {plain[0]:.1f} ms)"
            )
    finally:
        shutil.rmtree(str(launch.scratch), ignore_errors=True)
    return lines


def judge_seconds(session: object) -> float:
    """The median time of one pytest session over answers that are there already."""
    from grader.grading import pipeline

    took: list[float] = []
    plain = pipeline.judge

    def timed(*args: object) -> object:
        started = time.perf_counter()
        verdicts = plain(*args)  # type: ignore[arg-type]
        took.append(time.perf_counter() - started)
        return verdicts

    pipeline.judge = timed  # type: ignore[assignment]
    try:
        for _ in range(3):
            session.grade(SOLUTION)  # type: ignore[attr-defined]
    finally:
        pipeline.judge = plain
    return statistics.median(took)


def median(action: Callable[[], object], rounds: int) -> float:
    """The median wall time of an action."""
    took = []
    for _ in range(rounds):
        started = time.perf_counter()
        action()
        took.append(time.perf_counter() - started)
    return statistics.median(took)


def fork_once() -> None:
    """Fork a child that ends at once, and wait for it."""
    pid = os.fork()
    if not pid:
        os._exit(0)
    os.waitpid(pid, 0)


__all__: Sequence[str] = ["main"]

if __name__ == "__main__":
    main()
