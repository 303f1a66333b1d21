"""`grader platform`: what the scripts inside staff bundles call."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False)


@app.callback()
def platform() -> None:
    """What the scripts inside staff bundles call; nobody needs these by hand."""


@app.command()
def gradescope(
    base: Annotated[Path, typer.Option(metavar="DIR", help="Holds source/, submission/ and results/.")],
    points: Annotated[float | None, typer.Option(help="What the whole is worth.")] = None,
    isolation: Annotated[str, typer.Option(metavar="LEVEL", help="Run nothing below it.")] = "confined",
    visibility: Annotated[
        str, typer.Option(help="visible, hidden, after_due_date or after_published.")
    ] = "visible",
    leaderboard: Annotated[
        bool, typer.Option("--leaderboard", help="Put the points on the leaderboard.")
    ] = False,
) -> None:
    """Grade a submission in Gradescope's folders and write results.json."""
    from .gradescope import run

    run(base, points, isolation, visibility, leaderboard)
