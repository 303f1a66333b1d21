"""The hidden side of a lesson: its probes, its solution's modules, its catalogue of known mistakes."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, TypeAdapter, ValidationError

from grader.core.errors import LessonError
from grader.core.records import Frozen
from grader.core.yaml_file import read_yaml

from .lesson import Lesson
from .probes import Probe


class Mistake(Frozen):
    """A known mistake: where it lives (solution modules), what it is called, what to say about it.

    `calls` is what its words say of the source and no answer shows: a function, and of what it calls at least one.
    `form_of` names the mistake this entry is one form of; `twins` are mistakes no answer can tell from it. An entry
    that is two mistakes made in one place `stands_for` these, and they are `told` in its stead.
    """

    id: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9.-]*$")]
    home: str | tuple[str, ...]
    title: Annotated[str, Field(min_length=1)]
    message: Annotated[str, Field(min_length=1)]
    hint: tuple[str, ...]
    twins: tuple[str, ...] = ()
    form_of: str = ""
    note: str = ""
    calls: Mapping[str, tuple[str, ...]] = Field(default_factory=dict)
    stands_for: tuple[str, ...] = ()
    told: tuple[Mistake, ...] = ()

    @property
    def name(self) -> str:
        """The id that is reported: several forms of one mistake share it."""
        return self.form_of or self.id

    @property
    def homes(self) -> tuple[str, ...]:
        """The solution modules it is made in."""
        return (self.home,) if isinstance(self.home, str) else self.home


@dataclass(frozen=True, slots=True)
class Reference:
    """What the hidden side holds, as values: no code of it is imported here, but for the probes."""

    modules: tuple[Mapping[str, object], ...]
    mistakes: tuple[Mistake, ...]


def read_reference(folder: Path) -> Reference:
    """The solution's and the mistakes' source, and the catalogue's texts. Raises LessonError."""
    files = [*sorted((folder / "solution").glob("*.py")), *sorted(folder.glob("*.py"))]
    modules = tuple(module(path.stem, path.name, path.read_text("utf-8")) for path in files)
    return Reference(modules, read_mistakes(folder / "mistakes.yaml"))


def module(name: str, path: str, text: str) -> dict[str, object]:
    """A module of one cell, as the guest's side wants it."""
    return {"name": name, "path": path, "package": False, "cells": [{"text": text, "label": ""}]}


def text_of(module: Mapping[str, object]) -> str:
    """The source of such a module."""
    cells = module["cells"]
    assert isinstance(cells, list)
    return str(cells[0]["text"])


def read_mistakes(path: Path) -> tuple[Mistake, ...]:
    """The catalogue. Raises LessonError that names the line."""
    if not path.exists():
        return ()
    found = read_yaml(path, path.name, listed=True)
    try:
        entries = TypeAdapter(tuple[Mistake, ...]).validate_python(found.data)
    except ValidationError as error:
        first = error.errors()[0]
        raise found.error(tuple(first["loc"]), first["msg"]) from None
    twice = {entry.id for entry in entries if sum(other.id == entry.id for other in entries) > 1}
    if twice:
        raise LessonError(f"{path.name}: the id {min(twice)} stands twice")
    known = {entry.id: entry for entry in entries}
    strange = sorted({name for entry in entries for name in entry.stands_for} - set(known))
    if strange:
        raise LessonError(f"{path.name}: an entry stands for {strange[0]!r}, which no entry has as its id")
    return tuple(
        entry.model_copy(update={"told": tuple(known[name] for name in entry.stands_for)})
        for entry in entries
    )


def make_probes(lesson: Lesson, seed: int) -> list[Probe]:
    """The probes of the lesson's steps for a seed. Raises LessonError when the lesson has none."""
    if lesson.reference is None:
        raise LessonError(f"{lesson.slug}: the reference is not here, so no probes can be drawn")
    package = _load(lesson.reference / "probes", f"lesson_probes_{lesson.slug}")
    steps = {step.id for step in lesson.steps}
    return [probe for probe in package.probes(seed) if probe.step in steps]


def _load(folder: Path, name: str) -> Any:
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(
        name, folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    if spec is None or spec.loader is None or not (folder / "__init__.py").exists():
        raise LessonError(f"{folder}: no probes here")
    package = importlib.util.module_from_spec(spec)
    sys.modules[name] = package
    try:
        spec.loader.exec_module(package)
    except BaseException:  # half of it is not what the next call may find
        for known in [known for known in sys.modules if known == name or known.startswith(f"{name}.")]:
            del sys.modules[known]
        raise
    return package
