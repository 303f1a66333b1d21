"""Takes away the files that a guest has written, so that the next one starts in an empty place."""

from __future__ import annotations

import math
import os

DEEP = 2_000  # characters of a path, of the 4095 that a system call takes
ROUNDS = 5_000  # so often what lies too deep is brought up
RAISED = ".raised-"  # how those are called then


def contents(folder: str) -> frozenset[str]:
    """The paths of everything in a folder."""
    return frozenset(walk(folder))


def tidy(folder: str, kept: frozenset[str], uid: int | None) -> None:
    """Remove what is there beside `kept`, as the user who made it: his folders may be shut for us."""
    if contents(folder) == kept:
        return
    pid = os.fork()
    if pid:
        os.waitpid(pid, 0)
        return
    try:
        if uid is not None:
            os.setgroups([])
            os.setresgid(uid, uid, uid)
            os.setresuid(uid, uid, uid)
        for number in range(ROUNDS):
            paths = walk(folder, opening=True)
            for place, path in reversed(list(enumerate(paths))):
                if path not in kept and not _remove(path) and too_deep(path):
                    _bring_up(path, os.path.join(folder, f"{RAISED}{number}-{place}"))
            if not any(map(too_deep, paths)):
                break
    finally:
        os._exit(0)


def too_deep(path: str) -> bool:
    """Whether a path is so long that what is below it might have none."""
    return len(path) > DEEP


def walk(folder: str, opening: bool = False, most: float = math.inf) -> list[str]:
    """Every path below a folder, parents first, or the first `most`; a shut folder is opened first if wanted.

    Below a path that is too long it does not look.

    What is mounted there, such as the libraries where they lie below /tmp, is no guest's, and is not entered.
    """
    found: list[str] = []
    waiting = [folder]
    device = _device(folder)
    while waiting and len(found) < most:
        place = waiting.pop()
        if opening and place != folder:
            try:
                os.chmod(place, 0o700)
            except OSError:
                pass
        try:
            with os.scandir(place) as entries:
                inside = sorted(entries, key=lambda entry: entry.name)
        except OSError:
            continue
        found += [entry.path for entry in inside]
        folders = [entry.path for entry in inside if entry.is_dir(follow_symlinks=False)]
        waiting += [path for path in folders if not too_deep(path) and _device(path) == device]
    return found


def _device(path: str) -> int:
    try:
        return os.lstat(path).st_dev
    except OSError:
        return -1


def _remove(path: str) -> bool:
    try:
        if os.path.isdir(path) and not os.path.islink(path):
            os.rmdir(path)
        else:
            os.unlink(path)
    except OSError:
        return False
    return True


def _bring_up(path: str, top: str) -> None:
    """Move a folder to where all that is in it has a path."""
    try:
        os.chmod(path, 0o700)
        os.rename(path, top)
    except OSError:
        pass
