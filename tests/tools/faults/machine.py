"""Machines that lack something, whole commands on them: a disk that is full, a clock that jumps, a jail that fails."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.tools.faults.whole import GRADER, LAUNCH, OLD, Command, Done, nothing_left, record_of, run, told

DAY = 86_400.0
BWRAPS = {
    "a bubblewrap that ends at once": "exit 1",
    "a bubblewrap that is killed": "kill -9 $$",
    "a bubblewrap that says half of it": "printf '{\"child-pid\"'; exit 0",
    "a bubblewrap that says nonsense": "printf 'no jail here\\n.\\n'; sleep 1",
    "a bubblewrap that ends after a moment": '"$REAL" "$@" & sleep 0.3; kill -9 $!',
}


def refused(done: Done, label: str, codes: Sequence[int], words: str) -> str:
    """The command ended with one of these codes and one line that says why. AssertionError for all else."""
    nothing_left(label)
    assert done.code in codes, f"{label}: {done}"
    assert words in done.err, f"{label}: {done.err}"
    assert len(done.err.strip().splitlines()) == 1, f"{label}: {done.err}"
    return f"exit {done.code}: {done.err.strip()[:100]}"


def right(command: Command, done: Done, label: str) -> str:
    """The command ended well, with the right record. AssertionError for all else."""
    nothing_left(label)
    assert done.code == 0, f"{label}: {done}"
    record = record_of(command.out)
    assert record is not None, f"{label}: no record"
    assert told(record) == command.right, f"{label}: {told(record)}"
    assert 0 <= record["seconds"] < 180, f"{label}: took {record['seconds']} s"
    return f"right, {record['environment']['isolation']}"


@contextmanager
def small_disk(place: Path, kib: int) -> Iterator[bool]:
    """A disk of so many KiB at a place; False where none may be mounted."""
    place.mkdir(exist_ok=True)
    mount = ["mount", "-t", "tmpfs", "-o", f"size={kib}k", "tmpfs", str(place)]
    done = subprocess.run(mount, capture_output=True, check=False) if shutil.which("mount") else None
    there = done is not None and done.returncode == 0
    try:
        yield there
    finally:
        if there:
            subprocess.run(["umount", str(place)], check=True)


def full_disk(command: Command) -> str:
    """A disk with too little room for the record keeps what was there, and nothing half."""
    with small_disk(command.folder.parent / "full", 8) as there:
        if not there:
            return "not tried: nothing may be mounted here"
        out = command.folder.parent / "full" / "record.json"
        out.write_text(OLD, "utf-8")
        done = run((*GRADER, *command.words[:-1], str(out)))
        said = refused(done, "full disk", (3,), "No space left on device")
        assert [(path.name, path.read_text("utf-8")) for path in out.parent.iterdir()] == [(out.name, OLD)]
        return said


def limited_files(command: Command) -> str:
    """Where no file may grow to the record's size, there is none."""
    command.fresh(old=True)
    done = run((*LAUNCH, "--disk", "4000", "--", *command.words))
    said = refused(done, "limited files", (3,), "File too large")
    assert [path.read_text("utf-8") for path in command.folder.iterdir()] == [OLD]
    return said


def jumping_clock(command: Command, jump: float) -> str:
    """A clock that jumps by a day, to and fro, changes nothing."""
    command.fresh(old=False)
    return right(command, run((*LAUNCH, f"--clock={jump}", "--", *command.words)), f"clock by {jump:+.0f} s")


def no_torch(command: Command) -> str:
    """Without torch there is no grade, and the reason is said."""
    command.fresh(old=True)
    said = refused(
        run((*LAUNCH, "--no-torch", "--", *command.words)), "no torch", (3,), "No module named 'torch'"
    )
    assert command.out.read_text("utf-8") == OLD
    return said


def bad_bubblewrap(command: Command, script: str, *required: str) -> str:
    """A bubblewrap that fails half-way costs the namespaces, never the grade; with a level required, exit 3."""
    command.fresh(old=False)
    folder = command.folder.parent / "bin"
    folder.mkdir(exist_ok=True)
    program = folder / "bwrap"
    program.write_text(f"#!/bin/sh\nREAL={shutil.which('bwrap')}\n{script}\n", "utf-8")
    program.chmod(0o755)
    place: Mapping[str, str] = {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
    done = run((*GRADER, *command.words, *required), environment=place)
    if required and done.code:
        return refused(done, script, (3,), "was required")
    return right(command, done, script)


def closed(command: Command, what: str) -> str:
    """What an ordinary user may not read or write is said, and nothing is graded."""
    plain = ("setpriv", "--bounding-set=-dac_override,-dac_read_search") if os.geteuid() == 0 else ()
    if plain and not shutil.which("setpriv"):
        return "not tried: root reads everything, and there is no setpriv"
    work = command.folder.parent / "closed"
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(Path(command.words[1]), work / "small")
    (work / "out").mkdir()
    place = {"file": work / "small" / "concat.py", "folder": work / "small", "out": work / "out"}[what]
    mode = stat.S_IMODE(place.stat().st_mode)
    place.chmod(0o555 if what == "out" else 0)
    try:
        words = ("grade", str(work / "small"), "--json", str(work / "out" / "record.json"))
        why = "is not readable" if what == "folder" else "Permission denied"
        said = refused(run((*plain, *GRADER, *words)), f"closed {what}", (2, 3), why)
        assert list((work / "out").iterdir()) == []
        return said
    finally:
        place.chmod(mode)


def every_machine(command: Command) -> Iterator[tuple[str, str]]:
    """Each of them, and how the command ended there. AssertionError at the first that is not as promised."""
    tries: dict[str, Callable[[], str]] = {
        "a full disk": lambda: full_disk(command),
        "files limited in size": lambda: limited_files(command),
        "a clock a day ahead": lambda: jumping_clock(command, DAY),
        "a clock a day behind": lambda: jumping_clock(command, -DAY),
        "no torch": lambda: no_torch(command),
        "a file nobody may read": lambda: closed(command, "file"),
        "a folder nobody may read": lambda: closed(command, "folder"),
        "a folder nobody may write to": lambda: closed(command, "out"),
    }
    for name, attempt in tries.items():
        yield name, attempt()
    if shutil.which("bwrap"):
        for name, script in BWRAPS.items():
            yield name, bad_bubblewrap(command, script)
        yield (
            "the same, with sealed required",
            bad_bubblewrap(command, "exit 1", "--require-isolation", "sealed"),
        )
