"""The command `grader`. Every heavy import happens inside the command that needs it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from .errors import GraderError

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Grades exercises on multi-head attention, and says which mistake was made.",
)


@app.callback()
def grader() -> None:
    """Grades exercises and says which mistake was made."""


@app.command()
def grade(
    path: Annotated[Path, typer.Argument(help="A folder, a .py file, a notebook, or an archive of these.")],
    lesson: Annotated[str | None, typer.Option(help="The lesson, where there are several.")] = None,
    json: Annotated[str | None, typer.Option(metavar="FILE", help="Write the record; - for standard output.")] = None,
    junit: Annotated[Path | None, typer.Option(metavar="FILE", help="Write a JUnit report.")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Replay a run exactly.")] = None,
    fail_under: Annotated[float | None, typer.Option(metavar="POINTS", help="Exit 1 below this score.")] = None,
) -> None:
    """Grade one submission: run it apart, judge its answers, name its mistakes."""
    from .grading import grade as run

    record = run(path, lesson, seed)
    from .output import write_text

    if json == "-":
        sys.stdout.write(record.to_json())
    else:
        from .report.terminal import render

        sys.stdout.write(render(record, **_terminal()))
    if json is not None and json != "-":
        write_text(Path(json), record.to_json())
    if junit is not None:
        from .report.junit import render as render_junit

        write_text(junit, render_junit(record))
    if any(step.status == "broken" for step in record.steps):
        raise typer.Exit(3)
    if fail_under is not None and record.score < fail_under:
        raise typer.Exit(1)


def main() -> None:
    """Run the command; a fault is one line on standard error, never a traceback."""
    try:
        app()
    except GraderError as error:
        sys.stderr.write(f"grader: {' '.join(str(error).split())}\n")
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        sys.stderr.write("grader: stopped\n")
        sys.exit(130)


def _terminal() -> dict[str, object]:
    import os
    import shutil

    tty = sys.stdout.isatty()
    unicode = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    width = shutil.get_terminal_size((80, 24)).columns if tty or "COLUMNS" in os.environ else 80
    return {"width": width, "colour": tty and "NO_COLOR" not in os.environ, "unicode": unicode}
