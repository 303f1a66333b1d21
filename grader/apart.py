"""One grade as a command of its own: for a caller that a learner's code shares, or that has a clock to keep."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .courses import OPTION
from .errors import InputError
from .paths import HOME
from .records import Record

UNUSABLE = InputError.exit_code


@dataclass(frozen=True, slots=True)
class Apart:
    """What came of it: the record, or why there is none, and whether that is for the submission to mend."""

    record: Record | None
    said: str = ""
    unusable: bool = False


def grade_apart(
    path: Path,
    course: Path | None,
    seconds: float,
    *,
    options: Sequence[str] = (),
    engine: Path | None = None,
) -> Apart:
    """Grade by the lessons of `course` (without one as the environment says), by another engine if one is given.

    A record that was written counts whatever the exit code: what is broken in it says so itself.
    """
    with tempfile.TemporaryDirectory(prefix="grader-") as folder:
        out = Path(folder) / "record.json"
        home = HOME if engine is None else engine
        said = () if course is None else (OPTION, str(course.resolve()))
        command = [
            sys.executable,
            "-m",
            "grader",
            "grade",
            str(path.absolute()),
            "--json",
            str(out),
            *said,
            *options,
        ]
        try:
            done = subprocess.run(
                command,
                cwd=folder,  # `python -m` looks there first, and nothing else lies there
                env={**os.environ, "PYTHONPATH": str(home)},
                capture_output=True,
                text=True,
                errors="replace",
                timeout=seconds,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return Apart(None, f"the grade did not come to its end within {seconds:.0f} s")
        if out.exists():
            return Apart(Record.model_validate_json(out.read_bytes()))
    last = (done.stderr.strip().splitlines() or ["the grader said nothing"])[-1].removeprefix("grader: ")
    return Apart(None, last, done.returncode == UNUSABLE)
