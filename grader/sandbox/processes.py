"""Small services around a worker's process: writing to it, waiting for its end, killing what it left."""

from __future__ import annotations

import os
import select
import signal
import sys
import time
from pathlib import Path
from typing import IO

ROUNDS = 20  # sweeps for processes that outlive their worker
PR_SET_DUMPABLE = 4


def write(stream: IO[bytes] | None, data: bytes) -> Exception | None:
    """Write all of it; what kept it from that. A reader that has gone is no fault, it shows elsewhere.

    After a fault the pipe is closed, so that nobody waits for the rest.
    """
    if stream is None:
        return None
    try:
        stream.write(data)
        stream.flush()
    except (OSError, ValueError, MemoryError) as error:
        close(stream)
        return None if isinstance(error, BrokenPipeError) else error
    return None


def close(stream: IO[bytes] | None) -> None:
    """Close a pipe, whatever is still to be written to it."""
    if stream is None:
        return
    try:
        stream.close()
    except (OSError, ValueError):
        return


def drain(stream: IO[bytes] | None, seconds: float) -> None:
    """Wait until nobody holds the other end of a pipe any more, then close it."""
    end = time.monotonic() + seconds
    try:
        while stream is not None and select.select([stream], [], [], max(0.0, end - time.monotonic()))[0]:
            if not os.read(stream.fileno(), 1 << 20):
                break
    except (OSError, ValueError):
        return
    finally:
        close(stream)


def kill_marked(mark: str) -> None:
    """Kill every process whose first environment holds `mark`, wherever it has gone; where /proc tells."""
    for _ in range(ROUNDS):
        found = [pid for pid in _processes() if mark.encode() in _environment(pid)]
        for pid in found:
            try:
                os.kill(pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                pass
        if not found:
            return
        time.sleep(0.01)


def hide_memory() -> None:
    """Keep other processes of this user from reading this one's memory, files and environment."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)


def _processes() -> list[int]:
    try:
        names = [path.name for path in Path("/proc").iterdir()]
    except OSError:
        names = []
    return [int(name) for name in names if name.isdigit() and int(name) != os.getpid()]


def _environment(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return b""
