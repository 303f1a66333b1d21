"""Cuts off what takes too long, from inside: the rest of a notebook can then be run."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

MOST = (
    0.5  # of the seconds that the process is given from outside: each step's process runs the notebook anew
)
AGAIN = 0.5  # seconds until what has caught the alarm hears it again
LEAST = 0.01  # seconds


class TimedOut(BaseException):
    """A statement was cut off; no Exception, so that a loop that catches those does not go on."""


class Clock:
    """Gives each statement half of the time that is left, so that there is always some for the next."""

    def __init__(self, seconds: float | None) -> None:
        """With None nothing is ever cut off."""
        self.end = None if seconds is None else time.monotonic() + MOST * seconds
        self.given = 0.0

    @contextmanager
    def running(self) -> Iterator[None]:
        """Raise TimedOut in what runs here when its time is over; in other threads nothing is cut off."""
        if self.end is None or threading.current_thread() is not threading.main_thread():
            yield
            return
        outer, self.given = self.given, max((self.end - time.monotonic()) / 2, LEAST)
        handler = signal.signal(signal.SIGALRM, self._ring)
        timer = signal.setitimer(signal.ITIMER_REAL, self.given, AGAIN)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, *timer)
            signal.signal(signal.SIGALRM, handler)
            self.given = outer

    def _ring(self, *_: object) -> None:
        raise TimedOut(f"it took longer than {self.given:.1f} s and was cut off")
