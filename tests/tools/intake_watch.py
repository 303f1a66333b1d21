"""What reading a submission may not do: write, start, listen; and what it may cost."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
# Audit events of the interpreter: each of these changes the disk, starts something or reaches out.
FORBIDDEN = (
    "os.chmod", "os.chown", "os.exec", "os.fork", "os.link", "os.mkdir", "os.posix_spawn", "os.remove", "os.rename",
    "os.rmdir", "os.setxattr", "os.spawn", "os.symlink", "os.system", "os.truncate", "os.utime", "pty.spawn",
    "shutil.", "socket.", "subprocess.Popen", "tempfile.", "exec", "ctypes.", "import",
)  # fmt: skip
_heard: list[list[str]] = []  # the innermost watch, if any; a hook can never be taken out again


def _hook(event: str, arguments: tuple[object, ...]) -> None:
    if not _heard:
        return
    if event == "open":
        flags = arguments[2]
        if isinstance(flags, int) and flags & WRITING and arguments[0] != os.devnull:
            _heard[-1].append(f"opened {arguments[0]!r} for writing")
    elif event in ("exec", "import"):
        # `exec` of a class body or of a module that is imported late is the interpreter's own affair.
        name = str(arguments[0])
        if event == "exec" and "submission" in name:
            _heard[-1].append(f"ran {name}")
    elif event.startswith(FORBIDDEN):
        _heard[-1].append(f"{event} {arguments!r}")


sys.addaudithook(_hook)


@contextmanager
def only_reading() -> Iterator[None]:
    """Nothing is written, started, run or connected inside; said with the first things that were."""
    done: list[str] = []
    _heard.append(done)
    try:
        yield
    finally:
        _heard.pop()
    assert done[:3] == []


@contextmanager
def bounded(seconds: float, mib: float) -> Iterator[None]:
    """What happens inside takes no more processor time and no more memory at its height than this."""
    Path("/proc/self/clear_refs").write_text("5", "ascii")  # from here on the height counts
    before, began = _held("VmRSS"), time.process_time()
    yield
    took, more = time.process_time() - began, _held("VmHWM") - before
    assert took < seconds, f"took {took:.1f} s of computing time, expected under {seconds} s"
    assert more < mib, f"held {more:.0f} MiB more at its height, expected under {mib} MiB"


def _held(field: str) -> float:
    """MiB that this process holds now (VmRSS) or held at its height (VmHWM)."""
    status = Path("/proc/self/status").read_text("ascii")
    return next(float(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith(field))
