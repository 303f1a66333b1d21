"""`grader platform`: what the scripts inside staff bundles call."""

from __future__ import annotations

import datetime
import json
import os
from pathlib import Path
from typing import Annotated

import typer
from pydantic import ValidationError

from grader.errors import InputError
from grader.lessons import find_lesson
from grader.output import write_text
from grader.records import Record
from grader.sinks import json_quiet
from grader.text import printable

app = typer.Typer(add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False)

WHY = 500  # characters of the reason why work cannot be used
RecordArgument = Annotated[Path, typer.Argument(metavar="RECORD", help="What `grader grade --json` wrote.")]


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


@app.command()
def github(
    record: RecordArgument,
    submission: Annotated[Path, typer.Option(metavar="DIR", help="The graded folder, for lines.")] = Path(),
    prefix: Annotated[str, typer.Option(help="That folder as the repository calls it.")] = "",
) -> None:
    """Write the job summary where GITHUB_STEP_SUMMARY says, and annotations on standard output."""
    from .github import commands, summary

    read = _read(record)
    lesson = find_lesson(read.lesson)
    place = os.environ.get("GITHUB_STEP_SUMMARY", "")
    text = summary(read, lesson.title)
    if place:
        with Path(place).open("a", encoding="utf-8") as file:
            file.write(text)
    for line in commands(read, lesson, submission, prefix):
        typer.echo(line)


@app.command()
def classroom50(
    record: Annotated[
        Path | None, typer.Argument(metavar="RECORD", help="What `grader grade --json` wrote.")
    ] = None,
    unusable: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Instead of a record: why the work cannot be used.")
    ] = None,
    out: Annotated[Path, typer.Option(metavar="FILE", help="Where the result goes.")] = Path("result.json"),
    points: Annotated[float | None, typer.Option(help="What the whole is worth.")] = None,
) -> None:
    """Write Classroom 50's result.json; its own environment variables say whose work this is."""
    from .classroom50 import result
    from .rows import rows, unrun

    if record is not None:
        read = _read(record)
        found = rows(read, 1.0 if points is None else points / read.max_score)
    elif unusable is not None:
        lesson = find_lesson(None)
        why = printable(unusable.read_text("utf-8", "replace"), WHY, keep_lines=True).strip()
        found = unrun(lesson, 1.0 if points is None else points / lesson.max_score, why)
    else:
        raise InputError("say which record, or --unusable with the reason")
    made = result(found, os.environ, datetime.datetime.now(datetime.UTC))
    write_text(out, json_quiet(json.dumps(made, ensure_ascii=False, indent=1)) + "\n")


def _read(path: Path) -> Record:
    try:
        return Record.model_validate_json(path.read_bytes())
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
    except ValidationError as error:
        raise InputError(f"{path}: not a record ({error.error_count()} fields are wrong)") from None
