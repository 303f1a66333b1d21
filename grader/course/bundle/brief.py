"""The brief of a lesson, cut down to some of its steps by marks that a reader of Markdown does not see.

<!--only module, cross-->…<!--/only-->   left out where none of these steps is asked for
<!--whole-->…<!--part: …-->              the second text where not all steps are; {steps} and {points} are filled in
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection

from grader.lesson.lesson import Lesson

ONLY = re.compile(r"<!--only ([^>]*?)-->(.*?)<!--/only-->(\n?)", re.DOTALL)
WHOLE = re.compile(r"<!--whole-->.*?<!--part:(.*?)-->", re.DOTALL)
NUMBERS = (
    "no",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
)
NOWHERE = "–"  # in a table, where a step was named that is not asked for


def cut_brief(text: str, lesson: Lesson, left_out: Collection[str]) -> str:
    """The brief of a `lesson` that has been cut down, which these steps were `left_out` of."""
    if not left_out:
        return text
    asked = {step.id for step in lesson.steps}
    text = ONLY.sub(lambda found: _kept(found, asked), text)
    text = WHOLE.sub(lambda found: _filled(found[1].strip(), lesson), text)
    lines = (_row(line, left_out) if line.startswith("|") else line for line in text.splitlines())
    kept = re.sub(r"\n{3,}", "\n\n", "\n".join(line.rstrip() for line in lines if line is not None))
    numbers = itertools.count(1)
    return re.sub(r"^\d+\. ", lambda _: f"{next(numbers)}. ", kept, flags=re.MULTILINE) + "\n"


def _kept(found: re.Match[str], asked: set[str]) -> str:
    """What stands between the marks, and the line's end; lines of their own go whole where no step is asked for."""
    wanted = {name.strip() for name in found[1].split(",")}
    if wanted & asked:
        return f"{found[2]}{found[3]}"
    return "" if found[2].startswith("\n") else found[3]


def _filled(text: str, lesson: Lesson) -> str:
    count = len(lesson.steps)
    number = NUMBERS[count] if count < len(NUMBERS) else str(count)
    steps = f"{number} step{'' if count == 1 else 's'}"
    return text.replace("{steps}", steps).replace("{points}", f"{lesson.max_score:g}")


def _row(line: str, left_out: Collection[str]) -> str | None:
    """A table's row: gone where it begins with a step that is left out, else without the name of one."""
    cells = line.split("|")
    named = [cell.strip().strip("`") if cell.strip().startswith("`") else "" for cell in cells]
    if len(cells) > 2 and named[1] in left_out:
        return None
    return "|".join(
        f" {NOWHERE} " if name in left_out else cell for cell, name in zip(cells, named, strict=True)
    )
