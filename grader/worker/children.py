"""The zygote's children: how one starts, how far it has come, how it ends with all it left behind."""

from __future__ import annotations

import gc
import os
import signal
import time
from collections.abc import Mapping
from typing import Any, NamedTuple

from .guest import Guest
from .pipes import hand_on, read_frame, roomy_pipe
from .walls import Walls
from .wire import LENGTHS, lengths

STRAY_ROUNDS = 200  # sweeps for processes that a child left behind
FAILED = 71  # exit status of a child that could not do its work
MOST_PIPES = 2**16  # no descriptor of the zygote is beyond


class Child:
    """A running child: its pipes, its deadlines, how many of its frames have come.

    What it is at is told by that number alone: the frames that a child sends are known beforehand.
    """

    def __init__(
        self,
        limits: Mapping[str, Any],
        group: Mapping[str, Any],
        number: int,
        pid: int,
        pipes: tuple[int, int],
    ) -> None:
        self.number, self.limits, self.pid = number, limits, pid
        self.pipe, self.told = pipes
        self.due = [kind for count in group["plan"] for kind in ("import", *["call"] * count)] + ["call"]
        self.buffer = bytearray()
        self.received = self.come = 0
        self.deadline = time.monotonic() + limits["import_seconds"]
        self.end = time.monotonic() + min(limits["step_wall_seconds"], group["turn_seconds"])

    @property
    def finished(self) -> bool:
        """Whether all has come that it had to send."""
        return self.come == len(self.due)

    def frames(self) -> list[bytes]:
        """Whole frames received since the last call, unread. Raises WireError when one says to be too long."""
        whole: list[bytes] = []
        while len(self.buffer) >= LENGTHS.size and not self.finished:
            head, body = lengths(bytes(self.buffer[: LENGTHS.size]))
            size = LENGTHS.size + head + body
            if len(self.buffer) < size:
                break
            whole.append(bytes(self.buffer[:size]))
            del self.buffer[:size]
            self.come += 1
            if not self.finished:
                self.deadline = time.monotonic() + self.limits[f"{self.due[self.come]}_seconds"]
        return whole

    def begun(self) -> bool:
        """Whether our own code had done its work in it before any guest was there; to be asked when it has ended."""
        try:
            return bool(os.read(self.told, 1))
        except BlockingIOError:
            return False


class Seat(NamedTuple):
    """All that a new child is to know: what every child knows, its pipes, and where and who it will be."""

    shared: Mapping[str, Any]
    letters: int
    told: int
    out: int
    uid: int | None
    walls: Walls | None
    place: str
    guest: Guest | None


def start(
    shared: Mapping[str, Any],
    group: Mapping[str, Any],
    number: int,
    uid: int | None,
    walls: Walls | None,
    guest: Guest | None,
    place: str,
    source: int,
) -> Child | Seat:
    """Fork a child that answers one group of probes, and hand its letters on to it, unread.

    In the child its seat is returned: it is to leave our frames, with all that they know, before it takes it.
    """
    read, out = os.pipe()
    heard, told = os.pipe()
    letters, sender = roomy_pipe()
    gc.collect(0)
    pid = os.fork()
    if not pid:
        return Seat(shared, letters, told, out, uid, walls, place, guest)
    for pipe in (out, told, letters):
        os.close(pipe)
    os.set_blocking(heard, False)
    try:
        hand_on(source, sender, group["size"])
    finally:
        os.close(sender)
    return Child(shared["limits"], group, number, pid, (read, heard))


def take(seat: Seat) -> None:
    """Be that child, to the end; it holds no pipe but its own, and writes to its place alone.

    The byte told when all is set up can only be ours: its pipe is shut before the guest is loaded.
    """
    try:
        from .child import lock_in, serve
        from .scratch import settle_in

        _keep_only(seat.letters, seat.told, seat.out)
        os.setsid()
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        letters = read_frame(seat.letters)
        os.close(seat.letters)
        assert letters is not None
        lock_in(seat.shared["limits"], seat.uid, settle_in(seat.place, seat.walls))
        os.write(seat.told, b"!")
        os.close(seat.told)
        serve({**seat.shared, **letters}, seat.out, seat.guest)
    except BaseException:
        os._exit(FAILED)
    os._exit(0)


def _keep_only(*pipes: int) -> None:
    """Close every descriptor but the standard ones and these."""
    above = 3
    for pipe in sorted(pipes):
        os.closerange(above, pipe)
        above = pipe + 1
    os.closerange(above, MOST_PIPES)


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
