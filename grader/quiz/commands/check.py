"""`grader quiz check` and `grader quiz schema`: whether a bank holds together, and what one may say."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from grader.core.errors import LessonError
from grader.core.options import CourseOption, LessonOption
from grader.quiz.bank.bank import Bank, all_banks, bank_schema, find_bank, read_bank
from grader.quiz.bank.checking import usable

__all__ = ["check", "schema", "summary"]


def check(
    bank: Annotated[
        Path | None,
        typer.Argument(help="A bank's file, or its name in quizzes/; all of them if left out."),
    ] = None,
    lesson: LessonOption = None,
    course: CourseOption = None,
) -> None:
    """Check a bank of questions whole, every draw of every question, and sum it up in a line."""
    every = bank is None and lesson is None
    faults: list[LessonError] = []
    for path in all_banks(course) if every else [find_bank(bank, course, lesson)]:
        try:
            typer.echo(f"{path}: {summary(read_bank(path))}")
        except LessonError as error:
            faults.append(error)
    if faults:
        more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
        raise LessonError(f"{faults[0]}{more}")


def schema(
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where to write it; else it is shown.")
    ] = None,
) -> None:
    """Write the JSON Schema of a bank, with which an editor completes and checks one as it is typed."""
    import json

    from grader.core.files import write_text

    text = json.dumps(bank_schema(), indent=2, ensure_ascii=False) + "\n"
    if out is None:
        typer.echo(text, nl=False)
    else:
        write_text(out, text)


def summary(bank: Bank) -> str:
    """What the bank holds: questions, kinds, objectives, and how many draws of the parametrised ones count."""
    questions = bank.questions
    drawn = [usable(question) for question in questions if question.given]
    found, tried = sum(some for some, _ in drawn), sum(every for _, every in drawn)
    parts = [
        _number(len(questions), "question"),
        _number(len({question.kind for question in questions}), "kind"),
        _number(len({question.objective for question in questions}), "objective"),
        f"{len(bank.check)} in the Knowledge Check",
        f"{len(drawn)} parametrised" + (f" ({found} of {tried} draws usable)" if drawn else ""),
    ]
    return ", ".join(parts)


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}" + ("" if count == 1 else "s")
