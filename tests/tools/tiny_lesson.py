"""A lesson of four steps, as much of one as reading a submission needs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from grader.core.errors import InputError
from grader.submission.reader import Submission, read_submission


@dataclass(frozen=True)
class Name:
    name: str


@dataclass(frozen=True)
class Step:
    file: str
    provides: tuple[Name, ...]


@dataclass(frozen=True)
class Lesson:
    steps: tuple[Step, ...]


LESSON = Lesson(
    (
        Step("project.py", (Name("project"),)),
        Step("attend.py", (Name("attend"),)),
        Step("module.py", (Name("MultiHeadAttention"),)),
        Step("cross.py", (Name("MultiHeadAttention"), Name("self_attention"))),
    )
)


def outcome(path: Path) -> Submission | str:
    """The submission at a path, or the line that says why there is none."""
    try:
        return read_submission(path, LESSON)
    except InputError as error:
        return str(error)


def holds(path: Path) -> bool:
    """Whether reading keeps its promise: something to grade, or one line that begins with the path."""
    read = outcome(path)
    if isinstance(read, str):
        return read.startswith(f"{path}: ") and "\n" not in read
    return any(module.cells for module in read.modules) or bool(read.problems)
