"""Makes bundles: a source from options, a kind's items, the search for what must not leave, the bytes."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import ParamSpec, TypeVar, cast

from grader.core.errors import LessonError
from grader.core.paths import HOME
from grader.lesson.courses import find_course
from grader.lesson.lesson import find_lesson

from .archive import packed
from .choices import cut_down
from .contents import forbidden_files, leaks, secrets
from .engine import engine_wheel
from .manifest import manifest
from .model import Item, Kind, Options, Parts, Source
from .practice import practised
from .sealing import sealed_answers

Given = ParamSpec("Given")
Part = TypeVar("Part")


def source_of(
    slug: str | None, options: Options, root: Path | None = None, say: Callable[[str], None] = lambda _: None
) -> Source:
    """What bundles of a lesson are made from; `say` is told what takes long. Raises InputError, LessonError."""
    home = find_course(root)
    lesson = cut_down(find_lesson(slug, home), options.steps)
    ids = practised(home / "quizzes" / f"{lesson.slug}.yaml", options.practice_quiz)
    parts = Parts(
        wheel=_once(functools.partial(engine_wheel, HOME), "the engine's wheel", say),
        sealed=_once(
            lambda: sealed_answers(lesson, options.seed), "sealing the answers, known mistakes too", say
        ),
        secrets=_once(lambda: secrets(home, lesson.slug, ids), "reading what must not leave", say),
    )
    return Source(home, lesson, replace(options, practice_quiz=ids), parts)


def _once(make: Callable[Given, Part], what: str, say: Callable[[str], None]) -> Callable[Given, Part]:
    """Each part is made when it is first asked for, and kept for what was asked."""

    def told(*given: Given.args, **named: Given.kwargs) -> Part:
        say(what)
        return make(*given, **named)

    return cast("Callable[Given, Part]", functools.cache(told))


def made(kind: Kind, source: Source) -> bytes:
    """A bundle's bytes. Raises LessonError when anything hidden would be in a learner's."""
    items = kind.make(source)
    held_back(kind, source, items)
    if kind.single:
        (item,) = items
        return item.data
    return packed([*items, manifest(kind, source, items)])


def held_back(kind: Kind, source: Source, items: list[Item]) -> None:
    """Nothing leaves that this audience must not have. Raises LessonError."""
    if kind.audience == "staff":
        return
    wrong = forbidden_files(items, kind.audience)
    wrong += leaks(items, source.parts.secrets())
    if wrong:
        more = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
        raise LessonError(f"the bundle {kind.name} would give away {wrong[0]}{more}; nothing was written")
