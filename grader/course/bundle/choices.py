"""Options of an assignment: from the command line, over those of course.yaml; and the lesson cut down to them."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import Field, ValidationError, field_validator

from grader.core.errors import InputError
from grader.core.records import Frozen
from grader.core.yaml_file import read_yaml
from grader.course.platforms.late import due_time
from grader.lesson.courses import LESSON_FILE
from grader.lesson.lesson import Lesson, Step, read_lesson

from .brief import cut_brief
from .contents import BRIEF, exercise
from .model import Item, Options, Source
from .practice import CHECK

COURSE_FILE = "course.yaml"


class CourseText(Frozen):
    """The fields of course.yaml: options of bundles, written once."""

    course: str = ""
    due: str = ""
    points: Annotated[float, Field(gt=0, le=100_000, allow_inf_nan=False)] | None = None
    seed: Annotated[int, Field(strict=True, ge=0)] | None = None
    steps: tuple[str, ...] = ()
    practice_quiz: tuple[str, ...] = ()

    @field_validator("due", mode="before")
    @classmethod
    def _written(cls, value: object) -> object:
        """A bare date in YAML is a date, not a text."""
        return value.isoformat() if isinstance(value, datetime.date) else value

    @field_validator("practice_quiz", mode="before")
    @classmethod
    def _whole_check(cls, value: object) -> object:
        """Yes means the Knowledge Check, one word a list of one."""
        if isinstance(value, bool):
            return (CHECK,) if value else ()
        return (value,) if isinstance(value, str) else value


def read_course(path: Path | None, root: Path) -> Options:
    """The options of course.yaml, or none where there is no such file. Raises InputError."""
    place = root / COURSE_FILE if path is None else path
    if path is None and not place.exists():
        return Options()
    source = read_yaml(place, str(place))
    try:
        text = CourseText.model_validate(source.data)
    except ValidationError as error:
        worst = error.errors(include_url=False)[0]
        raise source.error(
            tuple(worst["loc"]), f"`{'.'.join(map(str, worst['loc']))}`: {worst['msg']}"
        ) from None
    return Options(text.course, text.due, text.points, text.seed, text.steps, text.practice_quiz)


def due_date(text: str) -> str:
    """A due date as ISO 8601, or "". Raises InputError."""
    if not text:
        return ""
    return due_time(text).isoformat(timespec="minutes")


def cut_down(lesson: Lesson, steps: tuple[str, ...]) -> Lesson:
    """The lesson with these steps alone, in its own order. Raises InputError."""
    known = [step.id for step in lesson.steps]
    unknown = [name for name in steps if name not in known]
    if unknown:
        raise InputError(f"--steps: no step is called {unknown[0]!r}; there are {', '.join(known)}")
    if not steps:
        return lesson
    kept = tuple(_without_others(lesson, step, steps) for step in lesson.steps if step.id in steps)
    aims = [
        aim.model_copy(update={"steps": tuple(name for name in aim.steps if name in steps)})
        for aim in lesson.objectives
    ]
    return lesson.model_copy(update={"steps": kept, "objectives": tuple(aim for aim in aims if aim.steps)})


def _without_others(lesson: Lesson, step: Step, steps: tuple[str, ...]) -> Step:
    """A step that uses those steps only; the mistakes of the others can be made in its own file all the same."""
    used = tuple(name for name in step.uses if name in steps)
    gone = [other.file for other in lesson.steps if other.id in step.uses and other.id not in steps]
    return step.model_copy(update={"uses": used, "homes": (*step.homes, *gone)})


def left_out(source: Source) -> tuple[Step, ...]:
    """The steps of the lesson that were not chosen."""
    if not source.options.steps:
        return ()
    kept = {step.id for step in source.lesson.steps}
    return tuple(step for step in read_lesson(source.lesson.folder, source.root).steps if step.id not in kept)


def given(source: Source) -> list[Item]:
    """What anybody may have of a lesson, as it goes out: as it stands, unless steps or the seed were chosen."""
    gone = [step.id for step in left_out(source)]
    items = []
    for item in exercise(source.root, source.lesson):
        if item.path.endswith(f"/{BRIEF}"):
            text = cut_brief(item.data.decode(), source.lesson, gone)
            items.append(Item(item.path, text.encode()))
        else:
            items.append(_lesson_file(item, source.lesson, source.options))
    return items


def _lesson_file(item: Item, lesson: Lesson, options: Options) -> Item:
    if not item.path.endswith(LESSON_FILE) or not (options.steps or options.seed is not None):
        return item
    plain: dict[str, Any] = yaml.safe_load(item.data)
    steps = {step.id: step for step in lesson.steps}
    plain["steps"] = [
        {**step, "uses": list(steps[step["id"]].uses), "homes": list(steps[step["id"]].homes)}
        for step in plain["steps"]
        if step["id"] in steps
    ]
    if "objectives" in plain:
        plain["objectives"] = [
            {"id": aim.id, "text": aim.text, "steps": list(aim.steps)} for aim in lesson.objectives
        ]
    if options.seed is not None:
        plain["public_seed"] = options.seed
    text = yaml.safe_dump(plain, sort_keys=False, allow_unicode=True, width=110)
    return Item(item.path, text.encode())
