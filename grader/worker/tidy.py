"""Takes away the files that a guest has written, so that the next one starts in an empty place."""

from __future__ import annotations

import os


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
        for path in walk(folder, opening=True)[::-1]:
            if path not in kept:
                _remove(path)
    finally:
        os._exit(0)


def walk(folder: str, opening: bool = False) -> list[str]:
    """Every path below a folder, parents first; a shut folder is opened first if wanted.

    What is mounted there, such as the libraries where they lie below /tmp, is no guest's, and is not entered.
    """
    found: list[str] = []
    waiting = [folder]
    device = _device(folder)
    while waiting:
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
        waiting += [path for path in folders if _device(path) == device]
    return found


def _device(path: str) -> int:
    try:
        return os.lstat(path).st_dev
    except OSError:
        return -1


def _remove(path: str) -> None:
    try:
        if os.path.isdir(path) and not os.path.islink(path):
            os.rmdir(path)
        else:
            os.unlink(path)
    except OSError:
        pass
