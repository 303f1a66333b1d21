"""`grader quiz`: the commands of the knowledge check, each in a module of its own."""

from __future__ import annotations

import typer

from .check import check, schema
from .export import export
from .import_questions import import_questions
from .mark import mark
from .review import review
from .stats import stats
from .take import take_quiz
from .web import web

__all__ = ["app"]

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="The knowledge check: take it, mark it, hand it out, and see which question is bad.",
)
app.command("take")(take_quiz)
app.command("import")(import_questions)
for _command in (mark, review, export, stats, check, schema, web):
    app.command()(_command)
