"""What shuts a guest in where it runs: Landlock for files, a filter for system calls, each where it is there."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import NamedTuple

from . import landlock, seccomp


class Walls(NamedTuple):
    """What a guest may read, write and only list, and which of the walls this machine can put up."""

    readable: tuple[str, ...]
    writable: tuple[str, ...]
    landlock: int
    seccomp: bool
    listed: tuple[str, ...] = ()


def planned(told: str) -> Walls | None:
    """The walls the grader wants, as far as they can be had here: JSON of three lists of paths. None for none."""
    if not told:
        return None
    wanted = json.loads(told)
    readable, writable, listed = (tuple(str(path) for path in paths) for paths in wanted)
    return Walls(readable, writable, landlock.version(), seccomp.works(), listed)


def put_up(walls: Walls) -> None:
    """Shut this process in, for good. Raises OSError where the system breaks its word."""
    if walls.landlock:
        landlock.shut_out(walls.readable, walls.writable, walls.listed)
    if walls.seccomp:
        seccomp.refuse_the_rest()


def parts(walls: Walls | None) -> Mapping[str, object]:
    """What stands, for the grader's record."""
    if walls is None:
        return {"landlock": 0, "seccomp": False}
    return {"landlock": walls.landlock, "seccomp": walls.seccomp}
