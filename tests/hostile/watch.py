"""What is seen of an attack that succeeded: files, packets, processes, words, points."""

from __future__ import annotations

import contextlib
import os
import re
import selectors
import signal
import socket
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from .model import attacks
from .places import CANARY, Places

MARKED = (
    Path("/tmp"),
    Path("/var/tmp"),
    Path("/dev/shm"),
)  # where anybody may write, so where notes are left
RAW = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]|(?m:^::)")
CLEAN = re.compile(r"\x1b\[[0-9;]*m")
LONG_AGO = 1_000_000
WHOSE = re.compile(r"^([a-z0-9-]+): (.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Sign:
    """One thing that was seen: the attack it belongs to ("" where that cannot be told), the channel, words."""

    attack: str
    shows: str
    words: str


@dataclass(frozen=True, slots=True)
class Doors:
    """Listeners on loopback and what they heard."""

    ports: Mapping[str, int]
    heard: list[bytes]
    open_at: object

    def signs(self) -> list[Sign]:
        """Whoever knocked."""
        return [
            Sign(_whose(words.decode("utf-8", "replace")), "listener", repr(words)) for words in self.heard
        ]


@contextlib.contextmanager
def doors() -> Iterator[Doors]:
    """TCP and UDP listeners; those with names of their own are opened for each run by `named`."""
    tcp = socket.create_server(("127.0.0.1", 0))
    udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    udp.bind(("127.0.0.1", 0))
    heard: list[bytes] = []
    ports = {"tcp": tcp.getsockname()[1], "udp": udp.getsockname()[1]}
    with _listening([tcp, udp], heard):
        yield Doors(ports, heard, None)


@contextlib.contextmanager
def named(where: Places, heard: list[bytes]) -> Iterator[None]:
    """UNIX listeners: one with a path, one with an abstract name."""
    path, abstract = (socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) for _ in range(2))
    path.bind(str(where.socket))
    where.socket.chmod(0o777)
    abstract.bind(f"\0{where.run}")
    with _listening([path, abstract], heard):
        yield
    where.socket.unlink()


@contextlib.contextmanager
def _listening(listeners: list[socket.socket], heard: list[bytes]) -> Iterator[None]:
    over = threading.Event()
    thread = threading.Thread(target=_listen, args=(listeners, heard, over))
    thread.start()
    try:
        yield
    finally:
        time.sleep(0.05)  # what was sent last is still on its way to the thread
        over.set()
        thread.join()
        for listener in listeners:
            listener.close()


def _listen(listeners: list[socket.socket], heard: list[bytes], over: threading.Event) -> None:
    with selectors.DefaultSelector() as selector:
        for listener in listeners:
            selector.register(listener, selectors.EVENT_READ)
        while True:
            ready = selector.select(0.1)
            if not ready and over.is_set():
                return
            for key, _ in ready:
                found = key.fileobj
                assert isinstance(found, socket.socket)
                if found.type == socket.SOCK_STREAM:
                    caller, _ = found.accept()
                    caller.settimeout(1)
                    with caller, contextlib.suppress(OSError):
                        heard.append(caller.recv(200))
                else:
                    heard.append(found.recv(200))


def said(text: str) -> list[Sign]:
    """What attacks printed: canaries, or that they did it."""
    signs = [
        Sign(whose, "canary" if CANARY.search(rest) else "told", rest) for whose, rest in WHOSE.findall(text)
    ]
    known = {sign.words for sign in signs}
    stray = [found for found in CANARY.findall(text) if not any(found in words for words in known)]
    return signs + [Sign("", "canary", found) for found in stray]


def left(where: Places, before: Mapping[str, tuple[int, int, int]], spare: int = 0) -> list[Sign]:
    """Files that were made or changed, and processes that live on; all of it is put back or ended."""
    return [*_markers(where), *_changes(where, before), *_processes(where, spare)]


def _markers(where: Places) -> list[Sign]:
    places = [*MARKED, where.folder / "home", where.folder / "out", where.folder / "secret"]
    places += [
        Path(str(where.told()["site"])),
        where.stage.project,
        where.stage.project / "grader",
        Path("/"),
    ]
    found = [path for place in places for path in place.glob(f"*{where.run}*")]
    found += where.temporary.rglob("*")
    found += [path for path in where.drop.rglob("*") if path.is_file()]
    signs = [Sign(_whose(str(path).rpartition(where.run)[2]), "marker", str(path)) for path in found]
    for path in found:
        if path.is_dir() and not path.is_symlink():
            with contextlib.suppress(OSError):
                path.rmdir()
        else:
            path.unlink(missing_ok=True)
    return signs


def _changes(where: Places, before: Mapping[str, tuple[int, int, int]]) -> list[Sign]:
    """What is no longer as it was: the copy of the project, the secrets, the workflow's file."""
    signs = []
    after = where.stage.state()
    changed = [path for path in {**before, **after} if before.get(path) != after.get(path)]
    for path in changed:
        text = Path(path).read_text("utf-8", "replace")[-300:] if Path(path).is_file() else ""
        signs.append(Sign(_whose(text), "changed", path))
        where.stage.restore(path)
    for name, (kept, mode) in where.secrets.items():
        path = where.secret.with_name(name)
        found, now = path.stat(), path.read_text("utf-8", "replace")
        if found.st_mode & 0o777 != mode:
            signs.append(Sign("open-the-secret-to-all", "changed", f"{path}: mode {found.st_mode & 0o777:o}"))
        if now != kept:
            signs.append(Sign("cut-a-file", "changed", f"{path} holds {len(now)} characters"))
        if found.st_mtime < LONG_AGO:
            signs.append(Sign("set-back-a-time", "changed", f"{path} is from {found.st_mtime}"))
    where.hide()
    workflow = where.folder / "out" / "workflow.txt"
    if text := workflow.read_text("utf-8", "replace"):
        signs.append(Sign(_whose(text.partition("#")[2]), "changed", str(workflow)))
        workflow.write_text("", "utf-8")
    return signs


def _processes(where: Places, spare: int) -> list[Sign]:
    """Processes that carry the run's name in their words or their environment; ended at once."""
    signs = []
    names = (where.run.encode(), str(where.folder).encode())
    for _ in range(5):
        found = [
            (pid, words)
            for pid, words, mark in _all()
            if pid != spare and any(name in mark for name in names)
        ]
        for pid, words in found:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            signs.append(Sign(_whose(words.partition(where.run)[2]), "process", f"{pid}: {words[:100]}"))
        if not found:
            break
        time.sleep(0.05)
    return signs


def _all() -> Iterator[tuple[int, str, bytes]]:
    """Every process that is alive but this one: number, words, words with environment."""
    for path in Path("/proc").iterdir():
        if not path.name.isdigit() or int(path.name) == os.getpid():
            continue
        try:
            words = (path / "cmdline").read_bytes()
            mark = words + (path / "environ").read_bytes()
        except OSError:
            continue
        if words:  # a process that waits to be reaped has none
            yield int(path.name), words.decode("utf-8", "replace").replace("\0", " "), mark


def raw(text: str) -> list[Sign]:
    """Control characters and commands to a workflow that stand in a text for people."""
    return [Sign("", "raw", repr(found.group())) for found in RAW.finditer(CLEAN.sub("", text))]


def _whose(text: str) -> str:
    """The attack whose id a text holds, "" when it holds none."""
    return max((attack.id for attack in attacks() if attack.id in text), key=len, default="")


def of(attack: str, signs: Iterable[Sign]) -> list[Sign]:
    """The signs of one attack."""
    return [sign for sign in signs if sign.attack == attack]
