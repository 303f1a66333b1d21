"""`grader quiz export`: a quiz in the format of a learning platform, a notebook or a table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from grader.core.errors import InputError
from grader.core.options import CourseOption, LessonOption

__all__ = ["MOST_VARIANTS", "export"]

MOST_VARIANTS = 100
NAMES = ("moodle-xml", "gift", "canvas-qti", "qti21", "jupyterquiz", "markdown", "csv")


def export(
    *,
    to: Annotated[str, typer.Option("--to", metavar="FORMAT", help=f"One of {', '.join(NAMES)}.")],
    out: Annotated[
        Path, typer.Option("--out", metavar="FILE", help="Where to write it; the zips end in .zip.")
    ],
    bank: Annotated[
        Path | None,
        typer.Option("--bank", "--quiz", metavar="NAME", help="A bank's file, or its name in quizzes/."),
    ] = None,
    questions: Annotated[
        str | None,
        typer.Option("--questions", metavar="IDS", help="Other questions than the Knowledge Check's, by id."),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="All questions of the bank.")] = False,
    variants: Annotated[
        int | None,
        typer.Option(
            "--variants", min=1, max=MOST_VARIANTS, help="Draws of each parametrised question, as a group."
        ),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="The seed the draws are made with.")] = 0,
    without_key: Annotated[
        bool, typer.Option("--without-key", help="No answer, feedback or explanation (markdown and csv).")
    ] = False,
    lesson: LessonOption = None,
    course: CourseOption = None,
) -> None:
    """Write questions for Moodle, Canvas, a notebook, people or a table, and say what the format cannot hold."""
    from grader.core.files import check_places, write_bytes
    from grader.quiz.bank.bank import find_bank, read_bank
    from grader.quiz.export.formats import FORMATS
    from grader.quiz.export.items import LOST, lost_of
    from grader.quiz.export.plan import Losses, plan

    chosen = FORMATS.get(to.strip().casefold())
    if chosen is None:
        raise InputError(f"no format {to[:60]!r}; there is {', '.join(FORMATS)}")
    write = chosen.keyless if without_key else chosen.write
    if write is None:
        raise InputError(
            f"--without-key: {to} is marked by its reader and needs the key; use markdown or csv"
        )
    check_places([out])
    loaded = read_bank(find_bank(bank, course, lesson))
    made = plan(
        loaded,
        _ids(questions, every, [item.id for item in loaded.questions]),
        variants or chosen.variants,
        seed,
    )
    losses = Losses()
    data = write(made, losses)
    for group in made.groups:
        for name in lost_of(group.question):
            losses.add(LOST[name], group.question.id)
    write_bytes(out, data)
    drawn = sum(len(group.drawn) for group in made.groups)
    more = f" ({drawn} with their draws)" if drawn > len(made.groups) else ""
    typer.echo(f"{out}: {len(made.groups)} questions{more} as {to}")
    for line in losses.lines():
        typer.echo(f"  {line}")


def _ids(questions: str | None, every: bool, known: list[str]) -> list[str] | None:
    """The ids asked for; None for the Knowledge Check. Raises InputError."""
    if questions is not None and every:
        raise InputError("--questions and --all: give one of them")
    if every:
        return known
    if questions is None:
        return None
    ids = [name for name in questions.replace(",", " ").split() if name]
    if not ids:
        raise InputError("--questions: name at least one id")
    return ids
