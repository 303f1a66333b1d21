"""Goes into a jail that another process holds open, and gives up every power on the way.

The namespaces are bubblewrap's: it builds them around a process that does nothing but wait. We enter them
with `setns` after torch has been imported outside, where one import serves two workers.
"""

from __future__ import annotations

import ctypes
import json
import os

from .powers import CAP_KILL, CAP_SETGID, CAP_SETUID, call, give_up_powers

READY = b"\n.\n"  # ends what the waiting process writes
NAMESPACES = ("mnt", "pid", "net", "ipc", "uts", "cgroup")  # the user namespace, if any, comes first


def wait_until_open(pipe: int) -> tuple[int, dict[str, str]]:
    """The process that holds the jail open, once it is in it, and its environment there.

    Two JSON objects come, bubblewrap's and that process's own. Raises OSError when the jail was not built.
    """
    told = b""
    while not told.endswith(READY):
        piece = os.read(pipe, 4096)
        if not piece:
            raise OSError("the jail was not built")
        told += piece
    text = told.removesuffix(READY).decode("utf-8")
    first, end = json.JSONDecoder().raw_decode(text)
    both = (first, json.loads(text[end:]))
    info, env = both if "child-pid" in first else both[::-1]
    return int(info["child-pid"]), {str(key): str(value) for key, value in env.items()}


def enter(holder: int, *, powers: bool) -> None:
    """Enter a process's namespaces; children are in them wholly, this process itself in all but the last.

    Raises OSError where the system refuses. With `powers` the three are kept that changing users needs.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    own = os.readlink("/proc/self/ns/user") == os.readlink(f"/proc/{holder}/ns/user")
    names = NAMESPACES if own else ("user", *NAMESPACES)
    doors = [os.open(f"/proc/{holder}/ns/{name}", os.O_RDONLY | os.O_CLOEXEC) for name in names]
    for door in doors:
        call(libc, "setns", door, 0)
        os.close(door)
    os.chdir("/")
    kept = (CAP_KILL, CAP_SETGID, CAP_SETUID) if powers else ()
    give_up_powers(kept)
