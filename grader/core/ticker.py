"""How far long work has come, on standard error: one line kept fresh on a terminal, elsewhere a line now and then."""

from __future__ import annotations

import sys
import threading
import time
from types import TracebackType
from typing import Self, TextIO

from .escape import terminal

FRESH, NOW_AND_THEN = 1.0, 30.0  # seconds between two lines, on a terminal and elsewhere
ANEW = "\r\x1b[K"
LONGEST = 76  # characters, so that no terminal wraps the line


class Ticker:
    """Counts what is done of `total`; close it, or use it in a `with`, and a terminal's line is taken away again."""

    def __init__(
        self,
        title: str,
        total: int,
        *,
        to: TextIO | None = None,
        every: float | None = None,
        counts: str = "",
    ) -> None:
        self._title, self._total, self._counts = title, total, counts
        self._out = sys.stderr if to is None else to
        self._live = self._out.isatty()
        self._every = every if every is not None else FRESH if self._live else NOW_AND_THEN
        self._done, self._at = 0, ""
        self._started = time.monotonic()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._keep_telling, daemon=True)

    def __enter__(self) -> Self:
        if self._live:
            self._tell()
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()
        if self._live:
            self._write(ANEW)

    def done(self, count: int = 1) -> None:
        """So many more are done."""
        self._done += count

    def at(self, what: str) -> None:
        """What is being worked at."""
        self._at = what

    def line(self) -> str:
        """`Bundles: 3 of 16, otter; 12 s`."""
        counts = f" {self._counts}" if self._counts else ""
        at = f", {self._at}" if self._at else ""
        said = f"{self._title}: {self._done} of {self._total}{counts}{at}"
        return f"{terminal(said)[:LONGEST]}; {time.monotonic() - self._started:.0f} s"

    def _keep_telling(self) -> None:
        while not self._over.wait(self._every):
            self._tell()

    def _tell(self) -> None:
        self._write(f"{ANEW}{self.line()}" if self._live else f"{self.line()}\n")

    def _write(self, text: str) -> None:
        try:
            self._out.write(text)
            self._out.flush()
        except (OSError, ValueError):
            self._over.set()  # nobody reads it any more
