"""`grader quiz mark`: marks answer sheets and writes their records."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from grader.core.errors import InputError, LessonError
from grader.core.escape import terminal
from grader.core.files import check_places, write_text
from grader.core.options import CourseOption, LessonOption
from grader.core.text import commandless, printable
from grader.quiz.bank.bank import Bank, find_bank, read_bank
from grader.quiz.marking.decisions import DECISIONS_FILE, Decisions, read_decisions
from grader.quiz.marking.mark import QuizRecord, SheetMarker
from grader.quiz.marking.sheet import Sheet, none_left, read_sheet

__all__ = [
    "BankOption",
    "DecisionsOption",
    "QuestionsOption",
    "SeedOption",
    "SheetsArgument",
    "chosen",
    "mark",
    "opened",
    "summary",
]

SheetsArgument = Annotated[
    list[Path], typer.Argument(metavar="SHEET...", help="Answer sheets, YAML or JSON.")
]
BankOption = Annotated[
    Path | None,
    typer.Option("--bank", "--quiz", metavar="NAME", help="A bank's file, or its name in quizzes/."),
]
QuestionsOption = Annotated[
    str | None,
    typer.Option("--questions", metavar="IDS", help="Other questions than the Knowledge Check's, by id."),
]
SeedOption = Annotated[
    int | None,
    typer.Option("--seed", min=0, help="The seed the questions were drawn with, where no sheet says it."),
]
DecisionsOption = Annotated[
    Path | None,
    typer.Option(
        "--decisions",
        metavar="FILE",
        help=f"People's decisions; else {DECISIONS_FILE} beside the first sheet.",
    ),
]
WORDS = {
    "correct": "right", "partial": "partly right", "incorrect": "wrong",
    "needs_review": "for a person", "unanswered": "no answer",
}  # fmt: skip
SIGNS = {"correct": "+", "partial": "~", "incorrect": "x", "needs_review": "?", "unanswered": "."}
LISTED = 12  # sheets up to which each gets its questions' lines


def mark(
    sheets: SheetsArgument,
    *,
    json: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write the record (of several sheets, one a line); - for stdout."),
    ] = None,
    bank: BankOption = None,
    questions: QuestionsOption = None,
    every: Annotated[bool, typer.Option("--all", help="Mark all questions of the bank.")] = False,
    seed: SeedOption = None,
    decisions: DecisionsOption = None,
    lesson: LessonOption = None,
    course: CourseOption = None,
) -> None:
    """Mark answer sheets: right, partly right, wrong, or for a person to see; exit 0 whatever the marks.

    A sheet that cannot be used is named and left out; exit 2 where not one can be used.
    """
    record_file = None if json in (None, "-") else Path(str(json))
    check_places([record_file] if record_file is not None else [])
    loaded, read, kept, _ = opened(sheets, bank, decisions, lesson, course)
    marker = SheetMarker(loaded, chosen(loaded, questions, every), seed, kept)
    records = [marker.mark(sheet) for sheet in read]
    for warning in (warning for sheet in read for warning in marker.warnings(sheet)):
        typer.echo(f"grader: {terminal(warning)}", err=True)
    text = records[0].to_json() if len(sheets) == 1 else "".join(record.to_json(None) for record in records)
    if record_file is not None:
        write_text(record_file, text)
    typer.echo(text if json == "-" else commandless(summary(records)), nl=False)


def opened(
    sheets: list[Path],
    bank: Path | None,
    decisions: Path | None,
    lesson: str | None = None,
    course: Path | None = None,
) -> tuple[Bank, list[Sheet], Decisions, Path]:
    """The bank, the sheets that can be used, the decisions and their file. Raises InputError.

    Says which sheets are left out, and why; a file of decisions beside the sheets is none.
    """
    found: list[Sheet] = []
    refused: list[str] = []
    for path in dict.fromkeys(path for path in sheets if path.name != DECISIONS_FILE):
        try:
            found.append(read_sheet(path))
        except InputError as error:
            refused.append(str(error))
    if not found:
        raise none_left(refused, "sheet")
    said = Counter(sheet.quiz for sheet in found if sheet.quiz is not None).most_common(1)
    loaded = read_bank(find_bank(bank, course, lesson, said[0][0] if said else None))
    place = decisions if decisions is not None else sheets[0].parent / DECISIONS_FILE
    kept = read_decisions(place)
    read: list[Sheet] = []
    for sheet in found:
        try:
            read.append(_of_the_quiz(sheet, loaded.quiz))
        except InputError as error:
            refused.append(str(error))
    if not read:
        raise none_left(refused, "sheet")
    for line in refused:
        typer.echo(f"grader: left out: {terminal(line)}", err=True)
    for name, often in Counter(sheet.learner for sheet in read).items():
        if often > 1:
            typer.echo(f"grader: {often} sheets of {terminal(printable(name, 60))}; each counts", err=True)
    return loaded, read, kept, place


def _of_the_quiz(sheet: Sheet, quiz: str) -> Sheet:
    if sheet.quiz is not None and sheet.quiz != quiz:
        raise InputError(f"{sheet.name}: answers the quiz {sheet.quiz[:60]!r}, not {quiz!r}; name its --bank")
    return sheet


def chosen(bank: Bank, questions: str | None, every: bool) -> list[str] | None:
    """The ids asked for; None for the Knowledge Check. Raises InputError."""
    if questions is not None and every:
        raise InputError("--questions and --all: give one of them")
    if every:
        return [question.id for question in bank.questions]
    if questions is None:
        return None
    ids = [name for name in questions.replace(",", " ").split() if name]
    if not ids:
        raise InputError("--questions: name at least one id")
    return ids


def _readable(message: str) -> str:
    """A message with its maths as a terminal shows it; as it stands, where an answer in it is no maths."""
    from grader.quiz.shown.prose import plain_line

    try:
        return plain_line(message)
    except LessonError:
        return message


def summary(records: list[QuizRecord]) -> str:
    """What the terminal shows: each question for a few sheets, one line a sheet for many."""
    lines: list[str] = []
    for record in records:
        waiting = f", {record.needs_review} for a person to see" if record.needs_review else ""
        lines.append(f"{record.learner}: {record.score:g} of {record.max_score:g} points{waiting}")
        if len(records) > LISTED:
            continue
        width = max((len(item.id) for item in record.questions), default=0)
        for item in record.questions:
            message = _readable(" ".join(item.message.split()))
            lines.append(
                f"  {SIGNS[item.outcome]} {item.id:<{width}}  {WORDS[item.outcome]:<12}"
                f"  {item.points:g}/{item.max_points:g}  {message}".rstrip()
            )
    waiting_in_all = sum(record.needs_review for record in records)
    if waiting_in_all:
        lines.append(f"{waiting_in_all} wait for a person: grader quiz review")
    return "\n".join(lines) + "\n"
