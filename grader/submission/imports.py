"""Which other steps a step runs: by importing their files, or by calling their functions in one file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from grader.lesson.lesson import Lesson

from .model import Submission
from .source_index import Code


def neighbours(lesson: Lesson, submission: Submission) -> dict[str, tuple[str, ...]]:
    """For each step the other steps it runs, through helpers too."""
    if submission.form == "folder":
        return _by_import(lesson, submission)
    return _by_name(lesson, submission)


def _by_import(lesson: Lesson, submission: Submission) -> dict[str, tuple[str, ...]]:
    by_module = {step.file.removesuffix(".py"): step.id for step in lesson.steps}
    return {
        by_module[stem]: tuple(by_module[other] for other in by_module if other in mine and other != stem)
        for stem, mine in reached(codes_of(submission), by_module).items()
    }


def codes_of(submission: Submission) -> dict[str, list[Code]]:
    """By module, the code of its cells."""
    return {module.name: [cell.code for cell in module.cells] for module in submission.modules}


def reached(
    codes: Mapping[str, Iterable[Code]], starts: Iterable[str], *, at_once: bool = False
) -> dict[str, set[str]]:
    """By module, all that it imports, through others of these too, and itself.

    With `at_once` only what is imported as soon as the module is.
    """
    imports = {
        module: {name for code in cells for name in (code.at_once if at_once else code.imports)}
        for module, cells in codes.items()
    }
    return {start: closure({start}, imports) for start in starts}


def _by_name(lesson: Lesson, submission: Submission) -> dict[str, tuple[str, ...]]:
    """In one file a step runs another when its definitions call the other's names, directly or through helpers."""
    uses: dict[str, set[str]] = {}
    for cell in submission.modules[0].cells:
        for name in {definition.name for definition in cell.code.definitions}:
            uses.setdefault(name, set()).update(cell.code.uses.get(name, ()))
    found = {}
    for step in lesson.steps:
        own = {item.name for item in step.provides}
        called = closure(own, uses) - own
        found[step.id] = tuple(
            other.id
            for other in lesson.steps
            if other.id != step.id and called & {item.name for item in other.provides}
        )
    return found


def closure(start: Iterable[str], uses: Mapping[str, set[str]]) -> set[str]:
    """The names to start with, those that they use, and those that these use in turn."""
    found: set[str] = set()
    waiting = set(start)
    while waiting:
        name = waiting.pop()
        found.add(name)
        waiting |= uses.get(name, set()) - found
    return found
