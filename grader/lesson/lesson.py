"""Lessons: what `exercises/<slug>/lesson.yaml` says, checked, as frozen values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field, StringConstraints, ValidationError

from grader.core.errors import InputError
from grader.core.records import Frozen
from grader.core.yaml_file import Loc, read_yaml

from .courses import LESSON_FILE, as_bundled, find_course, lesson_slugs

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

Text = Annotated[str, StringConstraints(min_length=1, strip_whitespace=True)]
Id = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_-]*$")]
Identifier = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
Dotted = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)+$")]
FileName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*\.py$")]
Count = Annotated[int, Field(strict=True, gt=0)]
Amount = Annotated[float, Field(strict=True, gt=0, allow_inf_nan=False)]


class Limits(Frozen):
    """What one submission may use: seconds, MiB, KiB."""

    import_seconds: Amount = 20.0
    call_seconds: Amount = 10.0
    step_cpu_seconds: Amount = 60.0
    memory_mib: Count = 4096
    print_kib: Count = 64


class Forbidden(Frozen):
    """A ready-made function: its importable name, and how a person says it."""

    name: Dotted
    say: Text


class Objective(Frozen):
    """A learning objective and the steps that assess it."""

    id: Id
    text: Text
    steps: Annotated[tuple[Id, ...], Field(min_length=1)]


class Provided(Frozen):
    """A name a step's file must define; `method` and `takes` tell classes of one name apart."""

    name: Identifier
    method: Identifier | None = None
    takes: Count | None = None


class Step(Frozen):
    """One step: its file, its points, the names it defines and the neighbours it may import.

    `homes` are files that it does not use here, and whose known mistakes can be made in it all the same.
    """

    id: Id
    title: Text
    file: FileName
    points: Amount
    forbid: Annotated[bool, Field(strict=True)] = False
    provides: Annotated[tuple[Provided, ...], Field(min_length=1)]
    uses: tuple[Id, ...] = ()
    homes: tuple[FileName, ...] = ()
    hint: Text


class Weight(Frozen):
    """A weight that a class keeps, and other names (in any case) under which it is taken for it.

    Several side by side in one are said by `holds`; they need no `name` where none of ours holds them.
    """

    name: Identifier | None = None
    holds: Annotated[tuple[Identifier, ...], Field(min_length=2)] | None = None
    also: tuple[Identifier, ...] = ()

    @property
    def asked(self) -> str:
        """The name, or the names, that the lesson asks for."""
        return self.name or " and ".join(self.holds or ())


class LessonText(Frozen):
    """The fields of lesson.yaml."""

    version: Literal[1]
    title: Text
    module: Text
    summary: Text
    public_seed: Annotated[int, Field(strict=True, ge=0)]
    limits: Limits = Limits()
    symbols: Mapping[str, Text] = Field(default_factory=dict)
    forbidden: tuple[Forbidden, ...] = ()
    objectives: tuple[Objective, ...] = ()
    weights: tuple[Weight, ...] = ()
    steps: Annotated[tuple[Step, ...], Field(min_length=1)]


class Lesson(LessonText):
    """One lesson and where it lies; `reference` is None where the hidden side is absent."""

    slug: str
    folder: Path
    reference: Path | None

    @property
    def max_score(self) -> float:
        """The points of all steps together."""
        return sum(step.points for step in self.steps)


def find_lesson(slug: str | None, root: Path | None = None) -> Lesson:
    """The lesson named `slug`, or the only one there is. Raises InputError, LessonError, MachineError."""
    home = find_course(root)
    slugs = lesson_slugs(home)
    if slug is None:
        if len(slugs) > 1:
            raise InputError(f"several lessons here; say which with --lesson: {', '.join(slugs)}")
        slug = slugs[0]
    if slug not in slugs:
        raise InputError(f"no lesson named {slug!r}; there is {', '.join(slugs)}")
    lesson = read_lesson(home / "exercises" / slug, home)
    as_bundled(home, slug, [step.id for step in lesson.steps], {step.file for step in lesson.steps})
    return lesson


def read_lesson(folder: Path, root: Path) -> Lesson:
    """The lesson in `folder`, checked against the files beside it. Raises LessonError."""
    path = folder / LESSON_FILE
    shown = path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)
    source = read_yaml(path, shown)
    try:
        text = LessonText.model_validate(source.data)
    except ValidationError as error:
        # A misspelt field is both missing and surplus; the surplus one is the line to correct.
        worst = min(error.errors(include_url=False), key=lambda item: item["type"] != "extra_forbidden")
        raise source.error(worst["loc"], _explain(worst)) from None
    for loc, problem in _contradictions(text, folder):
        raise source.error(loc, problem)
    reference = root / "reference" / folder.name
    place = {"slug": folder.name, "folder": folder, "reference": reference if reference.is_dir() else None}
    return Lesson.model_validate({**dict(text), **place})


def _explain(error: ErrorDetails) -> str:
    where = ".".join(str(part) for part in error["loc"])
    if error["type"] == "missing":
        return f"`{where}` is missing; add it"
    if error["type"] == "extra_forbidden":
        return f"`{where}` is not a field of a lesson; correct its name or remove it"
    found = re.sub(r"\s+", " ", repr(error["input"]))[:60]
    return f"`{where}`: {error['msg']}, found {found}; correct the value"


def _contradictions(text: LessonText, folder: Path) -> Iterator[tuple[Loc, str]]:
    """What fields say against each other or against the files beside them, and where."""
    ids = [step.id for step in text.steps]
    # A notebook brings its skeletons along: then none lies here.
    skeletons = any((folder / step.file).is_file() for step in text.steps)
    yield from _twice("steps", "id", ids)
    yield from _twice("steps", "file", [step.file for step in text.steps])
    yield from _twice("objectives", "id", [objective.id for objective in text.objectives])
    yield from _twice("forbidden", "name", [entry.name for entry in text.forbidden])
    for i, objective in enumerate(text.objectives):
        for j, name in enumerate(objective.steps):
            if name not in ids:
                yield ("objectives", i, "steps", j), f"no step has the id {name!r}{_nearest(name, ids)}"
    for i, step in enumerate(text.steps):
        for j, name in enumerate(step.uses):
            if name not in ids[:i]:
                problem = f"step {step.id!r} uses {name!r}, which is no earlier step{_nearest(name, ids[:i])}"
                yield ("steps", i, "uses", j), problem
        if step.forbid and not text.forbidden:
            yield ("steps", i, "forbid"), f"step {step.id!r} forbids, but `forbidden` lists no name"
        if skeletons and not (folder / step.file).is_file():
            yield ("steps", i, "file"), f"{step.file} does not stand beside {LESSON_FILE}; add the skeleton"
    yield from _shared_names(text.steps)
    yield from _weights(text.weights)


def _twice(section: str, field: str, values: list[str]) -> Iterator[tuple[Loc, str]]:
    for i, value in enumerate(values):
        if value in values[:i]:
            yield (section, i, field), f"{field} {value!r} is already taken in `{section}`; choose another"


def _shared_names(steps: tuple[Step, ...]) -> Iterator[tuple[Loc, str]]:
    """Two steps may provide one name only if each says its `method` and how many arguments that `takes`."""
    seen: dict[str, list[Provided]] = {}
    for i, step in enumerate(steps):
        for j, provided in enumerate(step.provides):
            if (provided.method is None) != (provided.takes is None):
                yield ("steps", i, "provides", j), f"{provided.name}: give `method` and `takes` together"
            others = seen.setdefault(provided.name, [])
            if any(provided.takes is None or other.takes in (None, provided.takes) for other in others):
                problem = f"{provided.name} is provided twice; tell them apart by `method` and `takes`"
                yield ("steps", i, "provides", j), problem
            others.append(provided)


def _weights(weights: tuple[Weight, ...]) -> Iterator[tuple[Loc, str]]:
    """No name may stand for two weights, whatever its case; what is held is a weight of its own."""
    taken: set[str] = set()
    for i, weight in enumerate(weights):
        if weight.name is None and weight.holds is None:
            yield ("weights", i), "a weight has a `name`, or `holds` several; add one"
        for field, name in [("name", weight.name), *(("also", name) for name in weight.also)]:
            if name is not None and name.lower() in taken:
                yield ("weights", i, field), f"{name!r} is already taken in `weights`, in any case; remove it"
            taken.add((name or "").lower())
    alone = [weight.name for weight in weights if weight.name is not None and weight.holds is None]
    for i, weight in enumerate(weights):
        for j, name in enumerate(weight.holds or ()):
            if name not in alone:
                problem = f"{weight.asked} holds {name!r}, which is no weight{_nearest(name, alone)}"
                yield ("weights", i, "holds", j), problem


def _nearest(name: str, names: list[str]) -> str:
    import difflib

    near = difflib.get_close_matches(name, names, n=1)
    return f"; did you mean {near[0]!r}?" if near else "; correct it"
