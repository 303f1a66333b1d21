"""Starts the worker, inside the strongest jail this machine has, and brings its answers home."""

from __future__ import annotations

import math
import os
import select
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import IO

from .arriving import FRAMES, GROUP_BYTES, HEAD_BYTES, LONGEST, Arriving, Group
from .errors import MachineError
from .jail import Launch, jailed, trusted
from .processes import close, drain, hide_memory, kill_marked, write
from .worker.wire import LENGTHS, REQUEST_BLOBS, WireError, pack, unpack

START_SECONDS = 120.0  # until the zygote says hello; a cold disk takes its time
END_SECONDS = 5.0  # until the last process of a killed jail has let go


class Worker:
    """A zygote process: started at once, asked later, so that its import runs beside ours.

    `hello` is what it last said of itself, empty before its first word. After a death, or a deadline that
    left it at work, the next `run` starts it anew.
    """

    def __init__(self, launches: Callable[[], Iterator[Launch]], bounded: bool) -> None:
        self.hello: Mapping[str, object] = {}
        self._greeted = False
        self._most = (FRAMES, GROUP_BYTES) if bounded else (math.inf, math.inf)
        self._launches = launches
        self._left = launches()
        self._lock = threading.Lock()
        self.closed = False
        self._process: subprocess.Popen[bytes] | None = None
        self._noise: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  (closed with the worker)
        self._start()

    @property
    def isolation(self) -> str:
        """The level in force, once it has said hello."""
        return self._launch.isolation

    def run(self, request: Mapping[str, object], groups: Sequence[str], deadline: float) -> dict[str, Group]:
        """Send a request, collect every group's frames until `deadline` (monotonic seconds).

        A group that ended as "deadline" or "worker died" was cut off by that. Raises MachineError when the
        worker does not even say hello, or was closed meanwhile.
        """
        if self._process is None:
            self._left = self._launches()
            self._start()
        self.wait_for_hello(deadline)
        shared = request.get("shared")
        assert isinstance(shared, Mapping)
        asked = {**request, "kind": "run", "shared": {**shared, "uid": self._launch.uid}}
        data = pack(asked, REQUEST_BLOBS)
        threading.Thread(target=write, args=(self._alive().stdin, data), daemon=True).start()
        arriving = {group: Arriving(*self._most) for group in groups}
        idle = False
        while not idle:
            head, body = self._read(deadline)
            if head is None:
                break
            idle = head.get("kind") == "idle"
            group = arriving.get(str(head.get("group")))
            if group is None:
                continue
            if head.get("kind") == "end":
                group.end = (str(head.get("how")), str(head.get("what")))
            elif head.get("kind") == "from":
                group.add(body)
        cut = "deadline" if time.monotonic() >= deadline else "worker died"
        if not idle:
            self.stop()
        if self.closed:
            raise MachineError("stopped before the submission was graded")
        return {name: group.group(cut) for name, group in arriving.items()}

    def wait_for_hello(self, deadline: float) -> None:
        """Block until the worker has said hello, in the next weaker way where it does not start.

        Raises MachineError with its last words.
        """
        end = min(deadline, time.monotonic() + START_SECONDS)
        while not self._greeted:
            head, _ = self._read(end)
            if head is not None and head.get("kind") == "hello":
                self.hello, self._greeted = head, True
            elif head is None:
                words = self._last_words()
                self.stop()
                if self.closed or time.monotonic() >= end or not self._start():
                    raise MachineError(f"the worker did not start: {words}")

    def stop(self) -> None:
        """Kill the worker with everything below it; the next `run` starts it anew."""
        with self._lock:
            process, self._process, self._greeted = self._process, None, False
        if process is None:
            return
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass
        process.kill()
        process.wait()
        if self._launch.scratch is not None:
            kill_marked(f"TMPDIR={self._launch.scratch}")
            shutil.rmtree(self._launch.scratch, ignore_errors=True)
        drain(process.stdout, END_SECONDS)
        close(process.stdin)

    def close(self) -> None:
        """Stop for good: what still runs in another thread ends with a MachineError."""
        self.closed = True
        self.stop()
        self._noise.close()

    def _start(self) -> bool:
        """Start in the next way there is; False when there is none left."""
        launch = next(self._left, None)
        if launch is None:
            return False
        with self._lock:
            if self.closed:
                raise MachineError("stopped before the submission was graded")
            self._noise.seek(0)
            self._noise.truncate()
            self._launch = launch
            if launch.scratch is not None:
                hide_memory()
            self._process = subprocess.Popen(
                launch.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._noise,
                env=dict(launch.env),
                cwd=os.sep,
                start_new_session=True,
            )
        return True

    def _alive(self) -> subprocess.Popen[bytes]:
        process = self._process
        if process is None:
            raise MachineError("stopped before the submission was graded")
        return process

    def _read(self, deadline: float) -> tuple[dict[str, object] | None, bytes | None]:
        """The next frame of the zygote's own: its head and its body (None when that was too long to keep)."""
        try:
            prefix = self._exactly(LENGTHS.size, deadline)
            head_size, body_size = LENGTHS.unpack(prefix)
            if head_size > HEAD_BYTES or body_size > LONGEST:
                return None, None
            head = unpack(self._exactly(head_size, deadline), b"")
            kept = body_size <= GROUP_BYTES
            body = self._exactly(body_size, deadline, kept)
        except (WireError, EOFError, OSError, ValueError):
            return None, None
        return head, body if kept else None

    def _exactly(self, size: int, deadline: float, keep: bool = True) -> bytes:
        """So many bytes; EOFError when they do not come in time. Without `keep` they are thrown away."""
        stream = self._alive().stdout
        assert stream is not None
        data = bytearray()
        left = size
        while left:
            wait = deadline - time.monotonic()
            if wait <= 0 or not select.select([stream], [], [], wait)[0]:
                raise EOFError
            piece = os.read(stream.fileno(), min(left, 1 << 20))
            if not piece:
                raise EOFError
            left -= len(piece)
            if keep:
                data += piece
        return bytes(data)

    def _last_words(self) -> str:
        if self.closed:
            return "it was stopped"
        self._noise.seek(0)
        lines = self._noise.read(100_000).decode("utf-8", "replace").strip().splitlines()
        return lines[-1] if lines else "it ended without a word"


def start_trusted() -> Worker:
    """A worker for our own reference: a plain process of its own."""
    return Worker(trusted, bounded=False)


def start_open() -> Worker:
    """A worker for a submission that is trusted, in no jail; what it may send is bounded all the same."""
    return Worker(trusted, bounded=True)


def start_jailed() -> Worker:
    """A worker for a learner's code, in the strongest jail that works here."""
    return Worker(jailed, bounded=True)
