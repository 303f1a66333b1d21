"""One grade as a command of its own: for a caller that a learner's code shares, or that has a clock to keep."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.core.paths import HOME
from grader.core.records import Record
from grader.lesson.courses import OPTION


@dataclass(frozen=True, slots=True)
class Apart:
    """What came of it: the record, or why there is none, and whether that is for the submission to mend.

    Where it is not, the fault is the grader's, its machine's or of whoever set it up, and nobody's points hang on it.
    """

    record: Record | None
    said: str = ""
    unusable: bool = False

    @property
    def fault(self) -> str:
        """Why nobody may have points or a zero of this; "" when there is a whole grade, or a learner to blame."""
        if self.record is None:
            return "" if self.unusable else self.said or "the grader said nothing"
        broken = [step.id for step in self.record.steps if step.status == "broken"]
        return f"{', '.join(broken)} could not be judged" if broken else ""


def grade_apart(
    path: Path,
    course: Path | None,
    seconds: float,
    *,
    options: Sequence[str] = (),
    engine: Path | None = None,
) -> Apart:
    """Grade by the lessons of `course` (without one as the environment says), by another engine if one is given.

    A record that was written is given whatever the exit code: what is broken in it says so itself.
    """
    with tempfile.TemporaryDirectory(prefix="grader-") as folder:
        out, reason = Path(folder) / "record.json", Path(folder) / "unusable.txt"
        home = HOME if engine is None else engine
        said = () if course is None else (OPTION, str(course.resolve()))
        files = ("--json", str(out), "--unusable", str(reason))
        command = [
            *(sys.executable, "-m", "grader", "grade", str(path.absolute())),
            *files,
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
        if reason.exists():
            return Apart(None, reason.read_text("utf-8").strip(), unusable=True)
    last = (done.stderr.strip().splitlines() or ["the grader said nothing"])[-1].removeprefix("grader: ")
    return Apart(None, last)
