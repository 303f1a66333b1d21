"""`grader quiz take`: the quiz in the terminal."""

from __future__ import annotations

import getpass
import io
import os
import re
import shutil
import sys
from pathlib import Path
from typing import Annotated

import typer

from grader.core.errors import InputError
from grader.core.files import check_places
from grader.core.options import CourseOption, LessonOption
from grader.core.text import printable
from grader.quiz.bank.bank import find_bank, read_bank
from grader.quiz.marking.mark import mark_sheet
from grader.quiz.marking.sheet import read_sheet
from grader.quiz.taking.progress import Progress, resumed
from grader.quiz.taking.screen import Screen
from grader.quiz.taking.take import Stopped, take

from .mark import BankOption, chosen

__all__ = ["LearnerOption", "SeedOption", "learner_name", "take_quiz"]

INTERRUPTED = 130
LearnerOption = Annotated[str | None, typer.Option("--learner", metavar="NAME", help="Who takes the quiz.")]
SeedOption = Annotated[
    int,
    typer.Option("--seed", min=0, max=10**18 - 1, help="Another seed draws other numbers and another order."),
]


def take_quiz(
    *,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="The answer sheet; else quiz-NAME.yaml here.")
    ] = None,
    exam: Annotated[bool, typer.Option("--exam", help="Say nothing about right and wrong.")] = False,
    bank: BankOption = None,
    questions: Annotated[
        str | None,
        typer.Option("--questions", metavar="IDS", help="Other questions than the Knowledge Check's, by id."),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Take all questions of the bank.")] = False,
    seed: SeedOption = 0,
    learner: LearnerOption = None,
    lesson: LessonOption = None,
    course: CourseOption = None,
) -> None:
    """Take the quiz here; every answer is kept at once, and the same command goes on where you stopped."""
    loaded = read_bank(find_bank(bank, course, lesson))
    ids = chosen(loaded, questions, every)
    name = learner_name(learner if learner is not None else _account())
    place = out if out is not None else Path(f"quiz-{_file_name(name)}.yaml")
    check_places([place])
    fresh = Progress(quiz=loaded.quiz, learner=name, seed=seed, mode="exam" if exam else "practice")
    begun = resumed(place, fresh)
    terminal, screen = _Console(), _screen()
    try:
        take(loaded, ids, begun, place, terminal, screen)
    except (Stopped, KeyboardInterrupt) as stop:
        terminal.say(
            screen.note("", f"Stopped. Your answers are in {place}; the same command goes on from there.")
        )
        raise typer.Exit(INTERRUPTED if isinstance(stop, KeyboardInterrupt) else 0) from None
    if exam:
        terminal.say(screen.note(f"Finished. Hand in {place}"))
        return
    record = mark_sheet(loaded, read_sheet(place), ids)
    waiting = f", {record.needs_review} for a person to see" if record.needs_review else ""
    missed = [str(number) for number, item in enumerate(record.questions, 1) if item.points < item.max_points]
    lines = [
        f"Finished: {record.score:g} of {record.max_score:g} points{waiting}. Your answers are in {place}"
    ]
    lines += [f"Look again at {', '.join(missed)}."] if missed else []
    terminal.say(screen.note(*lines))


def learner_name(name: str) -> str:
    """The name as a sheet gives it back. Raises InputError for one that no sheet can hold."""
    bare = name.strip()
    if not bare or len(bare) > 200 or printable(bare) != bare:
        raise InputError(f"--learner {printable(name, 60)!r}: give a name of 1 to 200 ordinary characters")
    return bare


def _account() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):
        raise InputError("nobody is logged in by name here; say who takes the quiz: --learner NAME") from None


def _file_name(name: str) -> str:
    return re.sub(r"[^\w.-]+", "-", name).strip("-.")[:60] or "answers"


def _screen() -> Screen:
    tty = sys.stdout.isatty()
    unicode = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    width = shutil.get_terminal_size((80, 24)).columns if tty or "COLUMNS" in os.environ else 80
    return Screen(width=width, colour=tty and "NO_COLOR" not in os.environ, unicode=unicode)


class _Console:
    """Standard input and output; what is piped in is shown where it would have been typed."""

    def __init__(self) -> None:
        self._typed = sys.stdin.isatty()
        if isinstance(sys.stdin, io.TextIOWrapper):
            sys.stdin.reconfigure(errors="replace")
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(errors="backslashreplace")
        if self._typed:
            try:
                import readline  # noqa: F401  (arrow keys and a line that can be edited)
            except ImportError:
                pass

    def ask(self, prompt: str) -> str:
        """One line. Raises EOFError."""
        line = input(prompt)
        if not self._typed:
            sys.stdout.write(f"{printable(line, 200)}\n\n")
        else:
            sys.stdout.write("\n")
        return line

    def say(self, text: str) -> None:
        """Show this, and a blank line."""
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()
