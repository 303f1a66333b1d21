"""`grader quiz`: the commands of the knowledge check, each in its own module `cmd_<name>`."""

from __future__ import annotations

import typer

from .cmd_check import check, schema
from .cmd_export import export
from .cmd_import import import_questions
from .cmd_mark import mark
from .cmd_review import review
from .cmd_stats import stats
from .cmd_take import take_quiz
from .cmd_web import web

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
