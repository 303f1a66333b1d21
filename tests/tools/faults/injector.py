"""Makes the n-th call of a function of this process fail, as a machine short of something would."""

from __future__ import annotations

import builtins
import errno
import importlib
import os
import signal
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

ERRNOS = ("ENOSPC", "EMFILE", "EIO", "EAGAIN", "ENOMEM", "EACCES")
MEMORY, KILL, THREAD = "MemoryError", "KILL", "RuntimeError"
CALLS = (
    "os.write", "os.read", "os.open", "os.replace", "os.fsync", "os.pipe", "os.dup", "os.fdopen", "os.scandir", "os.stat",
    "os.lstat", "os.chmod", "os.unlink", "os.kill", "os.killpg", "io.open", "builtins.open", "select.select",
    "subprocess._fork_exec", "tempfile.mkstemp", "tempfile.mkdtemp", "tempfile.TemporaryFile", "shutil.copytree",
)  # fmt: skip
IN_MEMORY = (
    "json.dumps", "json.loads", "numpy.frombuffer", "numpy.asarray",
    "grader.sandbox.posting.pack", "grader.sandbox.client.unpack",
    "grader.sandbox.frames.unpack", "grader.lesson.inputs.read_answer", "threading.Thread.start",
)  # fmt: skip
PIPES = ("pipe.write", "pipe.flush")  # of the stream that a worker is asked through
TARGETS = (*CALLS, *IN_MEMORY, *PIPES)


@dataclass(frozen=True, slots=True)
class Fault:
    """The n-th call (from 1) of a target fails with an error."""

    target: str
    nth: int
    error: str

    def __str__(self) -> str:
        return f"{self.target}:{self.nth}:{self.error}"

    @classmethod
    def read(cls, text: str) -> Self:
        """The fault that such a text stands for."""
        target, nth, error = text.split(":")
        return cls(target, int(nth), error)


def errors_of(target: str) -> tuple[str, ...]:
    """The errors that a target can fail with."""
    if target == "threading.Thread.start":
        return (THREAD,)
    return (MEMORY,) if target in IN_MEMORY else (*ERRNOS, MEMORY)


def raised(error: str) -> Exception:
    """The exception of that name; the error KILL ends this process at once."""
    if error == KILL:
        os.kill(os.getpid(), signal.SIGKILL)
    if error == MEMORY:
        return MemoryError("a fault put in on purpose")
    if error == THREAD:
        return RuntimeError("can't start new thread")
    number = getattr(errno, error)
    return OSError(number, os.strerror(number))


class Injector:
    """Counts the calls of all targets while it is on, and lets one of them fail."""

    def __init__(self) -> None:
        self.counts: dict[str, int] = {}
        self.fault: Fault | None = None
        self.fired = False
        self.on = False
        self._real: list[tuple[Any, str, Any]] = []
        self._lock = threading.Lock()
        self._owner = os.getpid()

    def install(self) -> None:
        """Put a counter before every target."""
        for target in (*CALLS, *IN_MEMORY):
            place, name = _place(target)
            real = getattr(place, name)
            self._real.append((place, name, real))
            setattr(place, name, self._counted(target, real))
        sandbox = importlib.import_module("grader.sandbox.client")
        write = sandbox.write
        self._real.append((sandbox, "write", write))
        setattr(sandbox, "write", lambda stream, data: write(_Pipe(stream, self), data))  # noqa: B010

    def remove(self) -> None:
        """Leave everything as it was."""
        for place, name, real in reversed(self._real):
            setattr(place, name, real)
        self._real.clear()

    def arm(self, fault: Fault | None) -> None:
        """Count from nothing, and let this fault happen when its turn comes."""
        self.counts, self.fault, self.fired, self.on = {}, fault, False, True

    def disarm(self) -> None:
        """Count no more, fail no more."""
        self.on = False

    def met(self, target: str) -> None:
        """Note a call of a target; raises when it is the one that fails."""
        if not self.on or os.getpid() != self._owner:
            return
        with self._lock:
            self.counts[target] = self.counts.get(target, 0) + 1
            fault = self.fault
            if fault is None or self.fired or (target, self.counts[target]) != (fault.target, fault.nth):
                return
            self.fired = True
        raise raised(fault.error)

    def _counted(self, target: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*words: Any, **named: Any) -> Any:
            self.met(target)
            return real(*words, **named)

        return counted


class _Pipe:
    """The stream that a worker is asked through, with a counter before each of its calls."""

    def __init__(self, stream: Any, injector: Injector) -> None:
        self._stream, self._injector = stream, injector

    def write(self, data: bytes) -> int:
        self._injector.met("pipe.write")
        return int(self._stream.write(data))

    def flush(self) -> None:
        self._injector.met("pipe.flush")
        self._stream.flush()

    def close(self) -> None:
        self._stream.close()


def _place(target: str) -> tuple[Any, str]:
    """Where a target lies, and its name there."""
    *path, name = target.split(".")
    if path == ["builtins"]:
        return builtins, name
    if path == ["threading", "Thread"]:
        return threading.Thread, name
    return importlib.import_module(".".join(path)), name
