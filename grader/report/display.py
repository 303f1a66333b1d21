"""Standard output: how wide it is, whether it shows colours and knows Unicode; and writing to it."""

from __future__ import annotations

import io
import os
import shutil
import sys

from grader.core.errors import MachineError


def display() -> tuple[int, bool, bool]:
    """Width in columns, whether it shows colours, whether it knows Unicode."""
    tty = sys.stdout.isatty()
    unicode = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    width = shutil.get_terminal_size((80, 24)).columns if tty or "COLUMNS" in os.environ else 80
    return width, tty and "NO_COLOR" not in os.environ, unicode


def show(text: str) -> None:
    """Write text. Raises MachineError where that cannot be done."""
    try:
        forgive()
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        raise MachineError(f"standard output cannot be written ({error.strerror or error})") from None


def forgive() -> None:
    """From now on an output that knows fewer characters than UTF-8 gets escapes, never an error."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
