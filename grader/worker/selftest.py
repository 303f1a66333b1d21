"""Attacks its own jail before any guest is let in: what succeeds here would succeed for a guest."""

from __future__ import annotations

import json
import os
import resource
import select
import signal
import socket
import sys
from collections.abc import Callable, Mapping

SECONDS = 10.0
LIMIT = 1 << 16


def attack(lock: Callable[[], None]) -> Mapping[str, list[str]]:
    """What was refused and what was not, tried in a child that `lock` has locked in like a guest's.

    A child that cannot even be locked in, or says nothing, has failed at everything.
    """
    read, write = os.pipe()
    pid = os.fork()
    if not pid:
        try:
            os.close(read)
            os.setsid()
            lock()
            _try_all(write)
        finally:
            os._exit(0)
    os.close(write)
    told = b""
    while select.select([read], [], [], SECONDS)[0]:
        piece = os.read(read, LIMIT)
        told += piece
        if not piece or len(told) > LIMIT:
            break
    os.close(read)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    try:
        found = json.loads(told.splitlines()[-1])
        return {"refused": [str(name) for name in found[0]], "let": [str(name) for name in found[1]]}
    except (ValueError, LookupError, TypeError):
        return {"refused": [], "let": list(ATTACKS)}


def _try_all(pipe: int) -> None:
    """Try everything; the last attack would end this program if it were let, so that is told first."""
    refused: list[str] = []
    let: list[str] = []
    for name, action in ATTACKS.items():
        _tell(pipe, refused, [*let, name])
        try:
            action()
        except (OSError, ValueError):
            refused.append(name)
        else:
            let.append(name)
    _tell(pipe, refused, let)


def _tell(pipe: int, refused: list[str], let: list[str]) -> None:
    os.write(pipe, json.dumps([refused, let]).encode("ascii") + b"\n")


def _read(path: str) -> None:
    with open(path, "rb") as file:
        file.read(1)


def _list(path: str) -> None:
    os.listdir(path)


def _write(path: str) -> None:
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    os.unlink(path)


def _fork() -> None:
    pid = os.fork()
    if not pid:
        os._exit(0)
    os.waitpid(pid, 0)


def _execute() -> None:
    # A program that is there; were it let, the silence that follows would tell.
    os.execv(sys.executable, [sys.executable, "-c", ""])


def _connect(family: int, kind: int) -> None:
    socket.socket(family, kind).close()


def _raise_a_limit() -> None:
    hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
    resource.setrlimit(resource.RLIMIT_CORE, (0, hard + 1))


ATTACKS: Mapping[str, Callable[[], None]] = {
    "read the grader's files": lambda: _read(__file__),
    "read the machine's users": lambda: _read("/etc/passwd"),
    "list processes": lambda: _list("/proc"),
    "read another's memory": lambda: _read(f"/proc/{os.getppid()}/mem"),
    "signal another": lambda: os.kill(os.getppid(), 0),
    "start a process": _fork,
    "open a TCP socket": lambda: _connect(socket.AF_INET, socket.SOCK_STREAM),
    "open a UDP socket": lambda: _connect(socket.AF_INET, socket.SOCK_DGRAM),
    "open a UNIX socket": lambda: _connect(socket.AF_UNIX, socket.SOCK_STREAM),
    "write beside the libraries": lambda: _write(os.path.join(os.path.dirname(os.__file__), "grader-test")),
    "write where anybody may": lambda: _write("/var/tmp/grader-test"),
    "write where others' folders are": lambda: _write(
        os.path.join(os.environ["GRADER_SCRATCH"], "grader-test")
    ),
    "raise a limit": _raise_a_limit,
    "start a program": _execute,
}
