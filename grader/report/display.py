"""What standard output is: how wide, whether it shows colours, whether it knows Unicode."""

from __future__ import annotations

import os
import shutil
import sys


def display() -> tuple[int, bool, bool]:
    """Width in columns, whether it shows colours, whether it knows Unicode."""
    tty = sys.stdout.isatty()
    unicode = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    width = shutil.get_terminal_size((80, 24)).columns if tty or "COLUMNS" in os.environ else 80
    return width, tty and "NO_COLOR" not in os.environ, unicode
