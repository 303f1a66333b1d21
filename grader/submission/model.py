"""What a submission is once it has been read: frozen values, no file left open, nothing run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from .source_index import Code

__all__ = ["Cell", "Form", "LessonFiles", "Module", "Submission", "lesson_files", "lesson_names"]

Form = Literal["folder", "file", "notebook"]


@dataclass(frozen=True, slots=True)
class Cell:
    """Code that runs in one go, labelled "" in a .py file and "cell 3" (of the code cells) in a notebook."""

    code: Code
    label: str

    @property
    def text(self) -> str:
        """The code as it was written."""
        return self.code.text


@dataclass(frozen=True, slots=True)
class Module:
    """One importable file: its dotted name, its path as the learner knows it, its code.

    `notebook`: it was written in a notebook, where what fails is passed over and the rest is run.
    """

    name: str
    path: str
    cells: tuple[Cell, ...]
    package: bool = False
    notebook: bool = False


@dataclass(frozen=True, slots=True)
class Submission:
    """What is graded.

    `problems` tells, for the file name of a step, why it cannot be graded: a sentence and, on further lines,
    the place. In the forms "file" and "notebook" there is a first module, the one that is graded (without cells
    when Python cannot read it); further ones are helpers found beside it. All code in it has been read.
    """

    name: str
    sha256: str
    form: Form
    modules: tuple[Module, ...]
    problems: Mapping[str, str]
    warnings: tuple[str, ...]


class _Name(Protocol):
    @property
    def name(self) -> str: ...


class _Step(Protocol):
    @property
    def file(self) -> str: ...
    @property
    def provides(self) -> Sequence[_Name]: ...


class LessonFiles(Protocol):
    """The part of a lesson that reading needs: each step's file and the names it must define."""

    @property
    def steps(self) -> Sequence[_Step]:
        """The steps, in order."""


def lesson_files(lesson: LessonFiles) -> dict[str, tuple[str, ...]]:
    """The names each step file must define, by file name, in the lesson's order."""
    files: dict[str, tuple[str, ...]] = {}
    for step in lesson.steps:
        files[step.file] = files.get(step.file, ()) + tuple(provided.name for provided in step.provides)
    return files


def lesson_names(lesson: LessonFiles) -> tuple[str, ...]:
    """Every name the lesson asks for, once, in the lesson's order."""
    return tuple(dict.fromkeys(provided.name for step in lesson.steps for provided in step.provides))
