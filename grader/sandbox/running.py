"""A started worker: its pipes, what it says when it fails, and how it is ended with all that is below it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import IO, Protocol

from .jail import Launch
from .processes import close, drain, hide_memory, kill_marked

END_SECONDS = 5.0  # until the last process of a killed jail has let go


@dataclass(frozen=True, slots=True)
class Running:
    """A worker that has been started.

    `uid` is the first of the users that its children become, None where they stay who we are. `kill` ends
    every process of it, given what the worker said hello with, if it did. `settle` tells the worker of its
    jail; it is what it gives back from then on.
    """

    stdin: IO[bytes]
    stdout: IO[bytes]
    noise: IO[bytes]
    isolation: str
    uid: int | None
    kill: Callable[[Mapping[str, object]], None]
    settle: Callable[[], Running] | None = None

    def end(self, hello: Mapping[str, object]) -> None:
        """Kill it, wait until nothing that ran in it holds its pipes any more, and forget its last words."""
        try:
            self.kill(hello)
        finally:
            drain(self.stdout, END_SECONDS if hello else 0.0)
            close(self.stdin)
            close(self.noise)

    def last_words(self) -> str:
        """The last line that it wrote to standard error."""
        self.noise.seek(0)
        lines = self.noise.read(100_000).decode("utf-8", "replace").strip().splitlines()
        return lines[-1] if lines else "it ended without a word"


class Way(Protocol):
    """One of the ways in which a worker can be started."""

    def __call__(self) -> Running:
        """Start it."""


def way(launch: Launch) -> Way:
    """The way to start a worker by a command of its own."""

    def start() -> Running:
        process, noise = _started(launch)
        assert process.stdin is not None
        assert process.stdout is not None

        def kill(_: Mapping[str, object]) -> None:
            kill_group(process)
            if launch.scratch is not None:
                sweep(launch.scratch, f"TMPDIR={launch.scratch}")

        return Running(process.stdin, process.stdout, noise, launch.isolation, launch.uid, kill)

    return start


def _started(launch: Launch) -> tuple[subprocess.Popen[bytes], IO[bytes]]:
    """The process, and where its last words go; nothing is left of one that cannot be started."""
    try:
        noise = tempfile.TemporaryFile()  # noqa: SIM115  (closed with the worker)
        try:
            hide_memory()
            return spawn(launch.command, launch.env, noise), noise
        except BaseException:
            noise.close()
            raise
    except BaseException:
        if launch.scratch is not None:
            shutil.rmtree(launch.scratch, ignore_errors=True)
        raise


def sweep(scratch: str, mark: str) -> None:
    """Kill what still carries the mark in its environment, and remove the scratch folder."""
    kill_marked(mark)
    shutil.rmtree(scratch, ignore_errors=True)


def spawn(
    command: tuple[str, ...],
    env: Mapping[str, str],
    noise: IO[bytes],
    *,
    stdout: int = subprocess.PIPE,
    keep: tuple[int, ...] = (),
) -> subprocess.Popen[bytes]:
    """Start a command in a group of its own, in the root folder."""
    return subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=stdout, stderr=noise, env=dict(env), cwd=os.sep,
        start_new_session=True, pass_fds=keep,
    )  # fmt: skip


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill a process with its group, and take note of its end."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass
    process.kill()
    process.wait()
