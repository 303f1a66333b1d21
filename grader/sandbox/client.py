"""Starts the worker, inside the strongest jail this machine has, and brings its answers home."""

from __future__ import annotations

import math
import os
import select
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from grader.core.errors import MachineError
from grader.worker.wire import LENGTHS, WireError, unpack

from .forked_pair import Twins
from .frames import GROUP_BYTES, HEAD_BYTES, LONGEST, Arriving, Group
from .isolation import level, parts
from .jail import jailed, trusted
from .posting import due, posted
from .processes import close, write
from .running import Running, Way, way

START_SECONDS = 120.0  # until the zygote says hello; a cold disk takes its time


class Worker:
    """A zygote process: started at once, asked later, so that its import runs beside ours.

    `hello` is what it last said of itself, empty before its first word. After a death, or a deadline that
    left it at work, the next `run` starts it anew.
    """

    def __init__(
        self, ways: Callable[[], Iterator[Way]], bounded: bool, running: Running | None = None
    ) -> None:
        self.hello: Mapping[str, object] = {}
        self._greeted = False
        self._most = GROUP_BYTES if bounded else math.inf
        self._ways = ways
        self._left = ways()
        self._lock = threading.Lock()
        self._turn = threading.Lock()  # of two threads that ask, one after the other
        self.closed = False
        self._running = running
        if running is None:
            self._start()
        else:
            self._last = running

    @property
    def isolation(self) -> str:
        """The level in force, once it has said hello."""
        return level(self._last.isolation, self.hello)

    @property
    def parts(self) -> str:
        """What that isolation is made of, in one line."""
        return parts(self._last.isolation, self.hello, self._last.uid is not None)

    def run(self, request: Mapping[str, object], groups: Sequence[str], deadline: float) -> dict[str, Group]:
        """Send a request, collect every group's frames until `deadline` (monotonic seconds).

        A group that ended as "deadline" or "worker died" was cut off by that. Raises MachineError when the
        worker does not even say hello, cannot be asked or heard, or was closed meanwhile.
        """
        asked = request["groups"]
        assert isinstance(asked, list)
        arriving = [Arriving(due(group), self._most) for group in asked]
        with self._turn:
            with self._to_its_end():
                self.wait_for_hello(deadline)
            data = posted(request, self._last.uid)
            with self._to_its_end():
                cut = self._answers(data, arriving, deadline)
        return {name: group.group(cut) for name, group in zip(groups, arriving, strict=True)}

    @contextmanager
    def _to_its_end(self) -> Iterator[None]:
        """What a worker still says after a fault would be taken for the next answers: it is stopped."""
        try:
            yield
        except BaseException:
            self.stop()
            raise

    def _answers(self, data: bytes, arriving: Sequence[Arriving], deadline: float) -> str:
        """Ask, and take in all that comes home; tells why groups without an end have none."""
        faults: list[Exception | None] = []
        stream = self._alive().stdin
        threading.Thread(target=lambda: faults.append(write(stream, data)), daemon=True).start()
        idle = False
        while not idle:
            head, body = self._read(deadline)
            if head is None:
                break
            idle = head.get("kind") == "idle"
            number = head.get("group")
            if not isinstance(number, int) or not 0 <= number < len(arriving):
                continue
            if head.get("kind") == "end":
                arriving[number].end = str(head.get("how"))
                arriving[number].begun = head.get("begun") is True
            elif head.get("kind") == "from":
                arriving[number].add(body)
        cut = "deadline" if time.monotonic() >= deadline else "worker died"
        if any(faults) and not self.closed:
            raise MachineError(f"the worker could not be asked: {faults[0]}")
        if not idle:
            self.stop()
        if self.closed:
            raise MachineError("stopped before the submission was graded")
        return cut

    def wait_for_hello(self, deadline: float) -> None:
        """Block until the worker has said hello, in the next weaker way where it does not start.

        Raises MachineError with its last words.
        """
        if self._running is None:
            self._left = self._ways()
            self._start()
        if not self._greeted and self._running is not None and self._running.settle is not None:
            self._running = self._last = self._running.settle()
        end = min(deadline, time.monotonic() + START_SECONDS)
        while not self._greeted:
            head, _ = self._read(end)
            if head is not None and head.get("kind") == "hello":
                self.hello, self._greeted = head, True
            elif head is None:
                words = "it was stopped" if self.closed else self._alive().last_words()
                self.stop()
                if self.closed or time.monotonic() >= end or not self._start():
                    raise MachineError(f"the worker did not start: {words}")

    def stop(self) -> None:
        """Kill the worker with everything below it; the next `run` starts it anew."""
        with self._lock:
            running, self._running = self._running, None
            hello, self._greeted = self.hello if self._greeted else {}, False
        if running is not None:
            running.end(hello)

    def close(self) -> None:
        """Stop for good: what still runs in another thread ends with a MachineError."""
        self.closed = True
        self.stop()

    def _start(self) -> bool:
        """Start in the next way there is; False when there is none left."""
        way = next(self._left, None)
        if way is None:
            return False
        with self._lock:
            if self.closed:
                raise MachineError("stopped before the submission was graded")
            self._running = self._last = way()
        return True

    def _alive(self) -> Running:
        running = self._running
        if running is None:
            raise MachineError("stopped before the submission was graded")
        return running

    def _read(self, deadline: float) -> tuple[dict[str, object] | None, bytes | None]:
        """The next frame of the zygote's own: its head and its body (None when that was too long to keep).

        Nothing at all when it has died or the time is over. Raises MachineError when it cannot be heard.
        """
        try:
            prefix = self._exactly(LENGTHS.size, deadline)
            head_size, body_size = LENGTHS.unpack(prefix)
            if head_size > HEAD_BYTES or body_size > LONGEST:
                return None, None
            head = unpack(self._exactly(head_size, deadline), b"")
            kept = body_size <= GROUP_BYTES
            body = self._exactly(body_size, deadline, kept)
        except (WireError, EOFError, ValueError):
            return None, None
        except OSError as error:
            if self.closed:
                return None, None
            raise MachineError(f"the worker cannot be heard: {error.strerror or error}") from None
        return head, body if kept else None

    def _exactly(self, size: int, deadline: float, keep: bool = True) -> bytes:
        """So many bytes; EOFError when they do not come in time. Without `keep` they are thrown away."""
        stream = self._alive().stdout
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


def start_trusted() -> Worker:
    """A worker for our own reference: a plain process of its own."""
    return Worker(_trusted, bounded=False)


def start_open() -> Worker:
    """A worker for a submission that is trusted, in no jail; what it may send is bounded all the same."""
    return Worker(_trusted, bounded=True)


def start_jailed() -> Worker:
    """A worker for a learner's code, in the strongest jail that works here."""
    return Worker(_jailed, bounded=True)


def start_both() -> tuple[Worker, Worker]:
    """A jailed worker and one for the reference; on Linux they share one import of torch."""
    if not sys.platform.startswith("linux"):
        return start_jailed(), start_trusted()
    both, halves = Twins(), []
    try:
        halves = [both.jailed()]
        halves.append(both.trusted())
        return Worker(_jailed, True, halves[0]), Worker(_trusted, False, halves[1])
    except BaseException:
        for half in halves:
            close(half.noise)
        both.abandon()
        raise


def _trusted() -> Iterator[Way]:
    return map(way, trusted())


def _jailed() -> Iterator[Way]:
    return map(way, jailed())
