"""Two workers for one import of torch: one for the reference, one that goes into the jail before any guest."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import threading
from typing import IO

from .jail import held_open, twins
from .running import Running, kill_group, spawn


class Twins:
    """A process that imports torch and splits, and a jail that is held open for the guest's half."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._left = 2
        self._noise = tempfile.TemporaryFile()  # noqa: SIM115  (closed with the second of them)
        request, asked = os.pipe(), os.pipe()
        answers, given = os.pipe(), os.pipe()
        jail = os.pipe()
        inside = (request[0], answers[1], asked[0], given[1], jail[0])
        launch = twins(inside)
        self._uid = launch.uid
        self._process = spawn(launch.command, launch.env, self._noise, stdout=subprocess.DEVNULL, keep=inside)
        self._holder = _hold(jail[1], self._noise)
        for pipe in (*inside, jail[1]):
            os.close(pipe)
        self._pipes = {
            "trusted": (os.fdopen(request[1], "wb"), os.fdopen(answers[0], "rb", buffering=0)),
            "jailed": (os.fdopen(asked[1], "wb"), os.fdopen(given[0], "rb", buffering=0)),
        }

    def trusted(self) -> Running:
        """The half that stays outside, for our own reference."""

        def kill(number: int) -> None:
            # It said who it is; before that it is not there yet, and the other half has not begun either.
            try:
                os.killpg(number or self._process.pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                pass
            self._let_go()

        return Running(*self._pipes["trusted"], self._words(), "separate", None, kill)

    def jailed(self) -> Running:
        """The half that is in the jail."""

        def kill(_: int) -> None:
            kill_group(self._holder)
            _close(self._holder.stdin)
            self._let_go()

        return Running(*self._pipes["jailed"], self._words(), "sealed", self._uid, kill)

    def _words(self) -> IO[bytes]:
        return os.fdopen(os.dup(self._noise.fileno()), "rb")

    def _let_go(self) -> None:
        """One half has ended; with the second, everything has."""
        with self._lock:
            self._left -= 1
            if self._left == 0:
                kill_group(self._process)
                _close(self._process.stdin)
                self._noise.close()


def _hold(pipe: int, noise: IO[bytes]) -> subprocess.Popen[bytes]:
    """Build the jail around a process that tells `pipe` where it is, and waits."""
    info = os.dup(pipe)
    try:
        command = held_open(info)
        assert command is not None
        return spawn(command, {}, noise, stdout=pipe, keep=(info,))
    finally:
        os.close(info)


def _close(stream: IO[bytes] | None) -> None:
    if stream is not None:
        stream.close()
