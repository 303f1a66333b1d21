"""`grader platform`: what the scripts inside staff bundles call."""

from __future__ import annotations

import datetime
import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from pydantic import ValidationError

from grader.core.errors import InputError, MachineError
from grader.core.escape import json_quiet, markdown_inline, terminal, workflow_command
from grader.core.files import write_text
from grader.core.options import CourseOption, LessonOption
from grader.core.records import Record
from grader.core.text import printable
from grader.lesson.lesson import find_lesson
from grader.report import story
from grader.report.rows import rows, scale_of, unrun

from .late import LONG, handed, joined
from .late import row as one_row

app = typer.Typer(add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False)

MaybeRecord = Annotated[
    Path | None, typer.Argument(metavar="RECORD", help="What `grader grade --json` wrote.")
]
UnusableOption = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Instead of a record: why the work cannot be used.")
]
PointsOption = Annotated[float | None, typer.Option(min=0, help="What the whole is worth.")]
DueOption = Annotated[str, typer.Option(metavar="DATE", help="Work committed later is marked late.")]
CommitOption = Annotated[
    str, typer.Option(metavar="'SHA TIME'", help="What `git log -1 --format='%H %cI'` says.")
]


@app.callback()
def platform() -> None:
    """What the scripts inside staff bundles call; nobody needs these by hand."""


@app.command()
def gradescope(
    base: Annotated[Path, typer.Option(metavar="DIR", help="Holds source/, submission/ and results/.")],
    points: PointsOption = None,
    isolation: Annotated[str, typer.Option(metavar="LEVEL", help="Run nothing below it.")] = "confined",
    visibility: Annotated[
        str, typer.Option(help="visible, hidden, after_due_date or after_published.")
    ] = "visible",
    leaderboard: Annotated[
        bool, typer.Option("--leaderboard", help="Put the points on the leaderboard.")
    ] = False,
    lesson: LessonOption = None,
) -> None:
    """Grade a submission in Gradescope's folders and write results.json."""
    from .gradescope import run

    run(base, points, isolation, visibility, leaderboard, lesson)


@app.command()
def github(
    record: MaybeRecord = None,
    unusable: UnusableOption = None,
    *,
    learner: Annotated[str, typer.Option(help="Whose work it is, where that is not plain.")] = "",
    submission: Annotated[Path, typer.Option(metavar="DIR", help="The graded folder, for lines.")] = Path(),
    prefix: Annotated[str, typer.Option(help="That folder as the repository calls it.")] = "",
    points: PointsOption = None,
    due: DueOption = "",
    commit: CommitOption = "",
    lesson: LessonOption = None,
    course: CourseOption = None,
) -> None:
    """Write the job summary where GITHUB_STEP_SUMMARY says, and annotations on standard output."""
    from .github import commands, summary
    from .github import unusable as nothing

    late = handed(commit, due).said
    read, why = _outcome(record, unusable)
    if read is None:
        text, line = nothing(why, find_lesson(lesson, course).title)
        lines = [line]
    else:
        found = find_lesson(read.lesson, course)
        scale = scale_of(points, read.max_score)
        text = summary(read, found.title, late, scale)
        lines = commands(read, found, submission, prefix, scale)
    place = os.environ.get("GITHUB_STEP_SUMMARY", "")
    if place:
        with Path(place).open("a", encoding="utf-8") as file:
            file.write(f"# {markdown_inline(learner)}\n\n{text}" if learner else text)
    for line in [*lines, *([workflow_command("warning", late, title="Late")] if late else [])]:
        typer.echo(line)


@app.command()
def row(
    record: MaybeRecord = None,
    unusable: UnusableOption = None,
    *,
    learner: Annotated[str, typer.Option(help="Whose work it is.")],
    out: Annotated[Path, typer.Option(metavar="FILE", help="Where the table goes.")],
    points: PointsOption = None,
    due: DueOption = "",
    commit: CommitOption = "",
) -> None:
    """Write one learner's row of a gradebook as CSV, and say how late the work is."""
    work = handed(commit, due)
    read, why = _whole(record, unusable)
    scale = 1.0 if read is None else scale_of(points, read.max_score)
    write_text(out, one_row(learner, read, work, why, scale))
    if work.said:
        typer.echo(terminal(f"{learner}: {work.said}"))


@app.command()
def table(
    rows: Annotated[list[Path], typer.Argument(metavar="CSV ...", help="What `row` wrote, oldest first.")],
    *,
    out: Annotated[Path, typer.Option(metavar="FILE", help="Where the table goes.")],
) -> None:
    """Join rows to one table with one heading; of a learner's several rows the last counts."""
    texts = []
    for path in rows:
        try:
            texts.append((str(path), path.read_text("utf-8")))
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"{path}: cannot be read ({error})") from None
    text, learners = joined(texts)
    write_text(out, text)
    typer.echo(f"{out}: {learners} learner{'' if learners == 1 else 's'}")


@app.command()
def classroom50(
    record: MaybeRecord = None,
    unusable: UnusableOption = None,
    *,
    out: Annotated[Path, typer.Option(metavar="FILE", help="Where the result goes.")] = Path("result.json"),
    points: PointsOption = None,
    lesson: LessonOption = None,
    course: CourseOption = None,
) -> None:
    """Write Classroom 50's result.json; its own environment variables say whose work this is."""
    from .classroom50 import result

    read, why = _whole(record, unusable)
    if read is None:
        here = find_lesson(lesson, course)
        found = unrun(here, scale_of(points, here.max_score), why)
    else:
        found = rows(read, scale_of(points, read.max_score))
        found[0] = replace(found[0], text=f"{story.practice(read)}\n{found[0].text}".strip())
    made = result(found, os.environ, datetime.datetime.now(datetime.UTC))
    write_text(out, json_quiet(json.dumps(made, ensure_ascii=False, indent=1)) + "\n")


def _outcome(record: Path | None, unusable: Path | None) -> tuple[Record | None, str]:
    """The record, or why the work cannot be used. Raises InputError."""
    if record is not None:
        return _read(record), ""
    if unusable is None:
        raise InputError("say which record, or --unusable with the reason")
    try:
        text = unusable.read_text("utf-8", "replace")
    except OSError as error:
        raise InputError(f"{unusable}: cannot be read ({error.strerror})") from None
    return None, printable(text, LONG, keep_lines=True).strip()


def _whole(record: Path | None, unusable: Path | None) -> tuple[Record | None, str]:
    """The outcome that points may be taken from. Raises MachineError where a step could not be judged."""
    read, why = _outcome(record, unusable)
    broken = [step.id for step in read.steps if step.status == "broken"] if read else []
    if broken:
        raise MachineError(
            f"{record}: {', '.join(broken)} could not be judged, so there are no points to write"
        )
    return read, why


def _read(path: Path) -> Record:
    try:
        return Record.model_validate_json(path.read_bytes())
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
    except ValidationError as error:
        raise InputError(f"{path}: not a record ({error.error_count()} fields are wrong)") from None
