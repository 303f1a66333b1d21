"""Which lesson a submission is of, where a course has several: as said, else as its path or its files tell."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from pathlib import Path

from grader.core.errors import InputError, LessonError
from grader.lesson.courses import find_course, lesson_slugs
from grader.lesson.lesson import Lesson, Step, find_lesson

from .model import Submission
from .reader import read_submission


def lesson_for(path: Path, slug: str | None, root: Path | None = None, step: str = "") -> Lesson:
    """The lesson `slug`; without one that of the submission, of which only one may have the `step`, if it is asked for.

    Raises InputError that names --lesson and the lessons where not exactly one fits.
    """
    course = find_course(root)
    slugs = lesson_slugs(course)
    if slug is not None or len(slugs) == 1:
        return find_lesson(slug, course)
    lessons = _readable(slugs, course)
    having = [one for one in lessons if not step or step in _names(one.steps)] or lessons
    near = _named_by(path, [one.slug for one in having])
    found = [one for one in having if one.slug == near] or _best(path, having)
    if len(found) == 1:
        return found[0]
    how = "several lessons fit it" if found else "no lesson is known by its path or its files"
    raise InputError(f"{path}: {how}; say which with --lesson: {', '.join(slugs)}")


def _readable(slugs: Sequence[str], course: Path) -> list[Lesson]:
    """The lessons that hold together: another one's fault is no reason to grade nothing."""
    found: list[Lesson] = []
    for slug in slugs:
        try:
            found.append(find_lesson(slug, course))
        except LessonError:
            continue
    return found


def _names(steps: Sequence[Step]) -> set[str]:
    """What a step may be asked for by."""
    return {name for step in steps for name in (step.id, step.file, step.file.removesuffix(".py"))}


def _named_by(path: Path, slugs: Collection[str]) -> str | None:
    """The lesson that a path names: its last part that is a slug."""
    place = path.absolute()
    parts = [*place.parts[:-1], place.name, place.name.partition(".")[0]]
    return next((part for part in reversed(parts) if part in slugs), None)


def _best(path: Path, lessons: Sequence[Lesson]) -> list[Lesson]:
    """The lessons of which most steps are in the submission; none where it has a step of none."""
    held = {one.slug: _steps_in(path, one) for one in lessons}
    most = max(held.values(), default=0)
    return [one for one in lessons if most and held[one.slug] == most]


def _steps_in(path: Path, lesson: Lesson) -> int:
    """How many of a lesson's steps a submission has a name of."""
    try:
        read = read_submission(path, lesson)
    except InputError:
        return 0
    return sum(_has(read, step) for step in lesson.steps)


def _has(read: Submission, step: Step) -> bool:
    stem = step.file.removesuffix(".py")
    mine = [module for module in read.modules if read.form != "folder" or module.name == stem]
    text = "\n".join(cell.text for module in mine for cell in module.cells)
    names = "|".join(re.escape(provided.name) for provided in step.provides)
    return (
        re.search(rf"^\s*(?:(?:async )?def|class)\s+(?:{names})\b|^(?:{names})\s*=", text, re.MULTILINE)
        is not None
    )
