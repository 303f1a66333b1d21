"""A folder for each guest, and how much it may hold: bytes, and entries, which take room without a byte in them.

A guest finds no other's folder, so one that writes too much is known, and is stopped alone. In a jail
of namespaces each folder is a file system of its own in memory, which bounds the bytes and counts the entries;
on the disk nothing but this bounds either.
"""

from __future__ import annotations

import os
import stat
import tempfile
from typing import NamedTuple

from .tidy import contents, tidy, too_deep, walk
from .walls import Walls

LOOK_SECONDS = 0.25  # what a guest can write between two looks is the bound's error
ENTRIES = 10_000  # files and folders of one guest; each takes about a KiB of the kernel's memory


class Scratch(NamedTuple):
    """The jail's folder for all its guests, what belongs there, and how many bytes one guest may hold."""

    folder: str = ""
    kept: frozenset[str] = frozenset()
    most: int = 0

    def place(self, slot: int) -> str:
        """A guest's own folder, made if need be; "" where there is no jail."""
        if not self.folder:
            return ""
        own = os.path.join(self.folder, f"guest-{slot}")
        if not os.path.isdir(own):
            os.mkdir(own)
            os.chmod(own, 0o1777)
        return own

    def overfull(self, slot: int, pid: int, uid: int | None) -> bool:
        """Whether a guest holds more than it may: its files, and those it has open without a name."""
        if not self.folder:
            return False
        own = self.place(slot)
        if os.lstat(own).st_dev != os.lstat(self.folder).st_dev:
            told = os.statvfs(own)
            return told.f_files - told.f_ffree > ENTRIES
        entries, size = _named(own)
        return entries > ENTRIES or size + _nameless(pid, uid) > self.most

    def clear(self, slot: int, uid: int | None, walls: Walls | None) -> None:
        """Take away what a guest has written; without Landlock it may lie anywhere in the common folder."""
        if not self.folder:
            return
        tidy(self.place(slot), frozenset(), uid)
        if walls is None or not walls.landlock:
            guests = os.path.join(self.folder, "guest-")
            others = frozenset(path for path in contents(self.folder) if path.startswith(guests))
            tidy(self.folder, self.kept | others, uid)


def settle_in(own: str, walls: Walls | None) -> Walls | None:
    """Make a folder this process's home, and the only one that its walls will let it write to."""
    if not own:
        return walls
    os.environ.update(HOME=own, TMPDIR=own)
    tempfile.tempdir = None  # it may have been looked up before
    if walls is None:
        return None
    readable = (*walls.readable, os.environ["MPLCONFIGDIR"])
    return walls._replace(readable=readable, writable=(own, *walls.writable[1:]))


def _named(place: str) -> tuple[int, int]:
    """The entries below a folder, and the bytes they take on the disk; it stops where there are too many."""
    total = 0
    paths = walk(place, opening=True, most=ENTRIES + 1)
    for path in paths:
        try:
            total += os.lstat(path).st_blocks * 512
        except OSError:
            continue
    # What lies too deep to be named cannot be counted, so who goes there has gone too far.
    return (ENTRIES + 1 if any(map(too_deep, paths)) else len(paths)), total


def _nameless(pid: int, uid: int | None) -> int:
    """The bytes on the disk of files that a process holds open and nobody can find."""
    try:
        return _held(f"/proc/{pid}/fd")
    except PermissionError:  # root in a container may not look at other users' processes, but may become one
        return 0 if uid is None else _nameless_as(uid, pid)
    except OSError:
        return 0


def _nameless_as(uid: int, pid: int) -> int:
    """The same, in whole MiB up to 255, seen by a process of that user's."""
    look = os.fork()
    if look:
        return os.waitstatus_to_exitcode(os.waitpid(look, 0)[1]) * 2**20
    mib = 0
    try:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
        mib = min(_nameless(pid, None) >> 20, 255)
    finally:
        os._exit(mib)


def _held(folder: str) -> int:
    found: dict[tuple[int, int], int] = {}
    for number in os.listdir(folder):
        try:
            file = os.stat(f"{folder}/{number}")
        except FileNotFoundError:  # closed meanwhile
            continue
        if stat.S_ISREG(file.st_mode) and not file.st_nlink:
            found[file.st_dev, file.st_ino] = file.st_blocks * 512
    return sum(found.values())
