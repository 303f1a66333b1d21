"""Two workers for one import of torch: one for the reference, one that goes into the jail before any guest."""

from __future__ import annotations

import json
import os
import secrets
import select
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import IO, cast

from .jail import READY, bare, held_open, twins
from .processes import close, hide_memory
from .running import Running, kill_group, spawn, sweep

HOLD_SECONDS = 10.0  # until a jail is built
MARK = "GRADER_MARK"


class Twins:
    """A process that imports torch and splits, and a jail that is held open for the guest's half."""

    def __init__(self) -> None:
        hide_memory()
        self._lock = threading.Lock()
        self._left = 2
        self._mark = secrets.token_hex(16)
        self._noise = tempfile.TemporaryFile()  # noqa: SIM115  (closed with the second of them)
        opened: list[int] = []
        streams: list[IO[bytes]] = []
        started: list[subprocess.Popen[bytes]] = []
        try:
            for _ in range(5):
                opened += os.pipe()
            request, answers, asked, given, words = zip(opened[0::2], opened[1::2], strict=True)
            inside = (request[0], answers[1], asked[0], given[1], words[0])
            launch = twins(inside)
            env = {**launch.env, MARK: self._mark}
            self._process = spawn(launch.command, env, self._noise, stdout=subprocess.DEVNULL, keep=inside)
            started.append(self._process)
            for pipe in inside:
                opened.remove(pipe)
                os.close(pipe)
            self._uid, self._told = launch.uid, words[1]
            self._holder, self._heard = _hold(self._noise)
            started += [] if self._holder is None else [self._holder]
            opened.append(self._heard)
            for pipe, mode in ((request[1], "wb"), (answers[0], "rb"), (asked[1], "wb"), (given[0], "rb")):
                streams.append(_stream(pipe, mode))
                opened.remove(pipe)
            self._trusted, self._jailed = (streams[0], streams[1]), (streams[2], streams[3])
        except BaseException:
            for process in started:
                _end(process)
            for pipe in opened:
                os.close(pipe)
            for stream in (*streams, self._noise):
                close(stream)
            raise

    def abandon(self) -> None:
        """End both halves, before anybody has taken them."""
        for stream in (*self._trusted, *self._jailed):
            close(stream)
        self._left = 1
        self._kill_jailed({})

    def trusted(self) -> Running:
        """The half that stays outside, for our own reference."""

        def kill(hello: Mapping[str, object]) -> None:
            # It said who it is; before that it is not there yet, and the other half has not begun either.
            _kill_session(int(str(hello.get("process", self._process.pid))))
            self._let_go()

        return Running(*self._trusted, self._words(), "separate", None, kill)

    def jailed(self) -> Running:
        """The half that is to go into the jail."""
        half = Running(*self._jailed, self._words(), "sealed", self._uid, self._kill_jailed)
        return replace(half, settle=lambda: self._settle(half))

    def _settle(self, half: Running) -> Running:
        """Tell the half where its jail is; where none could be built, to stay where it is."""
        words = _listen(self._heard)
        launch = None
        if not words.endswith(READY):
            self._stop_holder()
            launch = bare()
            words = json.dumps({"child-pid": 0}).encode() + json.dumps(dict(launch.env)).encode() + READY
        self._tell(words)
        if launch is None:
            return half
        scratch = str(launch.scratch)

        def kill(hello: Mapping[str, object]) -> None:
            _kill_session(int(str(hello.get("process", self._process.pid))))
            # Without a filter of system calls something may have slipped away; the mark is in all of them.
            sweep(scratch, f"{MARK}={self._mark}" if not hello.get("seccomp") else f"TMPDIR={scratch}")
            self._let_go()

        return replace(half, isolation=launch.isolation, uid=launch.uid, kill=kill)

    def _kill_jailed(self, _: Mapping[str, object]) -> None:
        self._tell(b"")
        self._stop_holder()
        self._let_go()

    def _tell(self, words: bytes) -> None:
        """Say it to the half that waits to be told of its jail; no words end it, and one that died hears none."""
        if self._told < 0:
            return
        try:
            os.write(self._told, words)
        except OSError:
            pass
        os.close(self._told)
        self._told = -1

    def _stop_holder(self) -> None:
        if self._holder is not None:
            _end(self._holder)

    def _words(self) -> IO[bytes]:
        words = os.dup(self._noise.fileno())
        try:
            return os.fdopen(words, "rb")
        except BaseException:
            os.close(words)
            raise

    def _let_go(self) -> None:
        """One half has ended; with the second, everything has."""
        with self._lock:
            self._left -= 1
            if self._left == 0:
                _end(self._process)
                os.close(self._heard)
                self._noise.close()


def _hold(noise: IO[bytes]) -> tuple[subprocess.Popen[bytes] | None, int]:
    """Build a jail around a process that waits, and says on the pipe where it is; None without bubblewrap."""
    heard, said = os.pipe()
    try:
        info = os.dup(said)
        try:
            command = held_open(info)
            holder = None if command is None else spawn(command, {}, noise, stdout=said, keep=(info,))
        except OSError:
            holder = None
        finally:
            os.close(info)
    except BaseException:
        os.close(heard)
        raise
    finally:
        os.close(said)
    return holder, heard


def _stream(pipe: int, mode: str) -> IO[bytes]:
    """The descriptor as a stream, which closes it from now on."""
    return cast("IO[bytes]", os.fdopen(pipe, mode, buffering=-1 if mode == "wb" else 0))


def _end(process: subprocess.Popen[bytes]) -> None:
    kill_group(process)
    close(process.stdin)


def _listen(pipe: int) -> bytes:
    """What the waiting process says, to its last word; less when it fails or takes too long."""
    told = b""
    end = time.monotonic() + HOLD_SECONDS
    while not told.endswith(READY) and select.select([pipe], [], [], max(0.0, end - time.monotonic()))[0]:
        piece = os.read(pipe, 4096)
        if not piece:
            break
        told += piece
    return told


def _kill_session(leader: int) -> None:
    try:
        os.killpg(leader, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass
