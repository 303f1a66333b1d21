"""`grader quiz web`: the quiz as one page for a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from grader.core.files import check_places, write_text
from grader.core.options import CourseOption, LessonOption
from grader.quiz.bank.bank import find_bank, read_bank
from grader.quiz.web.web import quiz_page

from .mark import BankOption, chosen
from .take import LearnerOption, SeedOption, learner_name

__all__ = ["web"]


def web(
    *,
    out: Annotated[Path, typer.Option("--out", metavar="FILE.html", help="Where to write the page.")],
    exam: Annotated[bool, typer.Option("--exam", help="Keep the key out of the page.")] = False,
    bank: BankOption = None,
    questions: Annotated[
        str | None,
        typer.Option("--questions", metavar="IDS", help="Other questions than the Knowledge Check's, by id."),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Put all questions of the bank on the page.")] = False,
    seed: SeedOption = 0,
    learner: LearnerOption = None,
    lesson: LessonOption = None,
    course: CourseOption = None,
) -> None:
    """Write the quiz as one self-contained page; it saves an answer sheet for `grader quiz mark`."""
    check_places([out])
    loaded = read_bank(find_bank(bank, course, lesson))
    ids = chosen(loaded, questions, every)
    name = learner_name(learner) if learner is not None else ""
    text = quiz_page(loaded, ids, seed=seed, learner=name, mode="exam" if exam else "practice")
    write_text(out, text)
    key = "without the key" if exam else "with the key, for practice"
    typer.echo(f"{out}: {len(text.encode()) / 1024:.0f} KiB, {key}")
