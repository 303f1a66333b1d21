"""The zygote's children: how one starts, what it has sent, how it ends with all it left behind."""

from __future__ import annotations

import gc
import os
import signal
import time
from collections.abc import Mapping
from typing import Any

from .guest import Guest
from .walls import Walls
from .wire import LENGTHS, lengths, unpack

STRAY_ROUNDS = 200  # sweeps for processes that a child left behind
FAILED = 71  # exit status of a child that could not do its work


class Child:
    """A running child: its pipe, its deadlines, what it has sent so far."""

    def __init__(self, request: Mapping[str, Any], pid: int, pipe: int) -> None:
        self.group, self.limits = str(request["group"]), request["limits"]
        self.pid, self.pipe = pid, pipe
        self.buffer = bytearray()
        self.received = 0
        self.what = "start"
        self.finished = False
        self.deadline = time.monotonic() + self.limits["import_seconds"]
        self.end = time.monotonic() + min(self.limits["step_wall_seconds"], request["turn_seconds"])

    def frames(self) -> list[tuple[str, bytes]]:
        """Whole frames received since the last call, each with its kind."""
        whole: list[tuple[str, bytes]] = []
        while len(self.buffer) >= LENGTHS.size:
            head, body = lengths(bytes(self.buffer[: LENGTHS.size]))
            size = LENGTHS.size + head + body
            if len(self.buffer) < size:
                break
            frame = bytes(self.buffer[:size])
            del self.buffer[:size]
            content = unpack(frame[LENGTHS.size : LENGTHS.size + head], frame[LENGTHS.size + head :])
            self._note(content)
            whole.append((str(content.get("kind")), frame))
        return whole

    def _note(self, content: Mapping[str, object]) -> None:
        kind = content.get("kind")
        if kind == "begin":
            self.what = str(content.get("what"))[:200]
            seconds = self.limits["import_seconds" if self.what == "import" else "call_seconds"]
            self.deadline = time.monotonic() + seconds
        elif kind == "done":
            self.finished = True


def start(
    request: Mapping[str, Any],
    slot: int,
    others: list[int],
    writer: int,
    walls: Walls | None,
    guest: Guest | None,
    place: str,
) -> Child:
    """Fork a child that answers one group of probes; it holds no pipe but its own, and writes to `place` alone."""
    read, write = os.pipe()
    gc.collect(0)
    pid = os.fork()
    if pid:
        os.close(write)
        return Child(request, pid, read)
    try:
        for pipe in [read, writer, *others]:
            os.close(pipe)
        os.setsid()
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        from .child import lock_in, serve
        from .scratch import settle_in

        os.closerange(3, write)
        os.closerange(write + 1, 256)
        own = settle_in(place, walls)
        lock_in(request["limits"], None if request["uid"] is None else request["uid"] + slot, own)
        serve(request, write, guest)
    except BaseException:
        os._exit(FAILED)
    os._exit(0)


def end(child: Child, how: str, others: list[int]) -> str:
    """Make sure that a child and its strays are gone; tells how it ended, in one word or two."""
    if how == "closed":
        how = _death(_wait(child.pid))
    else:
        _kill(child.pid)
        os.waitpid(child.pid, 0)
    _sweep(others)
    return how


def _wait(pid: int) -> int:
    """The status of a child that has closed its pipe; one that lingers is killed after a moment."""
    for _ in range(100):
        found, status = os.waitpid(pid, os.WNOHANG)
        if found:
            return status
        time.sleep(0.01)
    _kill(pid)
    return os.waitpid(pid, 0)[1]


def _death(status: int) -> str:
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        known = number in list(signal.Signals)  # a real-time signal has no name of its own
        name = signal.Signals(number).name if known else str(number)
        return "cpu" if number == signal.SIGXCPU else f"signal {name}"
    return f"exit {os.WEXITSTATUS(status)}"


def _sweep(keep: list[int]) -> None:
    """Kill every process that an ended child left behind (they are this subreaper's children now)."""
    for _ in range(STRAY_ROUNDS):
        strays = [pid for pid in _children() if pid not in keep]
        for pid in strays:
            _kill(pid)
        for pid in strays:
            try:
                os.waitpid(pid, 0)
            except ChildProcessError:
                continue
        if not strays:
            return


def _children() -> list[int]:
    path = f"/proc/self/task/{os.getpid()}/children"
    try:
        with open(path, encoding="ascii") as file:
            return [int(word) for word in file.read().split()]
    except OSError:
        return []


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
