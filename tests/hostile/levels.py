"""The levels that this machine can be put at, and the real command run at one of them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from grader.worker import landlock, seccomp

from .places import ROOT, Places

ENTER = Path(__file__).with_name("enter.py")
USER = 60_501  # a uid that nobody has
SECONDS = 170
SEED = 11


@dataclass(frozen=True, slots=True)
class Level:
    """A machine as a course may have it: who grades, whether bubblewrap is there, what the kernel refuses."""

    name: str
    isolation: str  # what the record must say
    uid: int | None = None  # who grades, None: who we are
    bubblewrap: bool = True
    contained: bool = False  # no namespaces, few capabilities, as in a container by default
    open: bool = False  # Python lies where anybody may read it

    def missing(self) -> str:
        """Why this machine cannot be put there, "" where it can."""
        root = os.name == "posix" and os.getuid() == 0
        if not (landlock.version() and seccomp.works()):
            return "needs Landlock and seccomp, which this kernel does not have"
        if self.isolation == "sealed" and shutil.which("bwrap") is None:
            return "needs bubblewrap, which is not installed here"
        if not root and (self.uid is None or self.contained):
            return "needs root, who can be put at every level"
        return ""


LEVELS = (
    Level("root-sealed", "sealed"),
    Level("root-confined", "confined", bubblewrap=False),
    Level("user-sealed", "sealed", uid=USER, open=True),
    Level("user-confined", "confined", uid=USER, bubblewrap=False, open=True),
    Level("container", "confined", contained=True, open=True),
)


@dataclass(frozen=True, slots=True)
class Done:
    """What came of a command: its exit code and words, and the most memory one of its processes had."""

    code: int
    out: str
    error: str
    seconds: float
    memory: int


def grade(level: Level, where: Places, program: tuple[str, ...] = ("-m", "grader")) -> Done:
    """`python -m grader grade DIR --json FILE --junit FILE` at a level, its memory watched."""
    report = (
        where.folder / "out" / f"{where.environment['HOSTILE_CANARY'].replace('environment', 'argv')}.xml"
    )
    words = ["grade", str(where.folder / "submission"), "--json", str(where.record), "--junit", str(report)]
    return run(level, where, [sys.executable, *program, *words, "--seed", str(SEED)])


def run(level: Level, where: Places, command: list[str]) -> Done:
    """A command at a level, in the copy of the project, with an environment of its own."""
    uid = level.uid if os.getuid() == 0 else None
    asked = {
        "uid": uid,
        "contained": level.contained,
        "open": [sys.base_prefix, str(ROOT / ".venv"), sys.prefix] if level.open else [],
        "room": str(where.folder / "room"),
        "cwd": str(where.stage.project),
        "env": environment(level, where),
    }
    asked["open"] = sorted({str(Path(path).resolve()) for path in asked["open"] if Path(path).exists()})
    began = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-I", "-S", str(ENTER), json.dumps(asked), *command],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
    )  # fmt: skip
    seen: list[int] = []
    over = threading.Event()
    watcher = threading.Thread(target=_watch_memory, args=(process.pid, over.wait, seen))
    watcher.start()
    try:
        out, error = process.communicate(timeout=SECONDS + 20)
    finally:
        process.kill()
        over.set()
        watcher.join()
    return Done(process.returncode, out, error, time.monotonic() - began, max(seen, default=0))


def environment(level: Level, where: Places) -> dict[str, str]:
    """What the command finds in its environment; bubblewrap is found by its PATH or not at all."""
    kept = {
        key: os.environ[key] for key in ("LANG", "OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE") if key in os.environ
    }
    return {
        **kept,
        **where.environment,
        "HOSTILE_RUN": where.run,
        "PATH": os.environ["PATH"] if level.bubblewrap else "/nowhere",
        "HOME": str(where.folder / "home"),
        "TMPDIR": str(where.temporary),
        "OMP_NUM_THREADS": "1",
        "MPLBACKEND": "Agg",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def _watch_memory(pid: int, wait: Callable[[float], bool], seen: list[int]) -> None:
    while not wait(0.2):
        seen += [_peak(found) for found in below(pid)]


def below(pid: int) -> list[int]:
    """A process and all that are below it."""
    found, waiting = [], [pid]
    while waiting:
        above = waiting.pop()
        found.append(above)
        try:
            text = Path(f"/proc/{above}/task/{above}/children").read_text("ascii")
        except OSError:
            continue
        waiting += [int(word) for word in text.split()]
    return found


def _peak(pid: int) -> int:
    """The most memory that a process has had at once, in bytes."""
    try:
        text = Path(f"/proc/{pid}/status").read_text("ascii", "replace")
    except OSError:
        return 0
    line = next((line for line in text.splitlines() if line.startswith("VmHWM:")), "VmHWM: 0")
    return int(line.split()[1]) * 1024
