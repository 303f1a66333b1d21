"""`grader audit`: from options to a plan, from findings to terminal, JSON, HTML and an exit code."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from grader.courses import find_course, lesson_slugs
from grader.options import CourseOption
from grader.output import check_places, write_text
from grader.report.display import display

from .findings import Audit
from .whole import Plan, audit, prepare

SEEDS, QUICK_SEEDS, QUICK_MUTANTS = 200, 5, 120
PAIRS = 0  # in each step; they take seconds apiece, so they are made when asked for
RIGHT = ("tests", "golden", "right")  # where this house keeps the right submissions of its only lesson

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command("audit")
def command(
    slug: Annotated[str | None, typer.Argument(help="The lesson; the only one there if left out.")] = None,
    *,
    course: CourseOption = None,
    right: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Right submissions; without it tests/golden/right, if it is there."),
    ] = None,
    seeds: Annotated[
        int | None, typer.Option(min=0, help="On how many seeds the solution is repeated; 200 if left out.")
    ] = None,
    mutants: Annotated[
        int | None, typer.Option(min=0, help="Try so many, evenly spread; all if left out.")
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help=f"{QUICK_SEEDS} seeds, {QUICK_MUTANTS} mutants.")
    ] = False,
    right_seeds: Annotated[
        int, typer.Option(min=0, help="On how many more seeds each right submission is judged.")
    ] = 0,
    pairs: Annotated[
        int, typer.Option(min=0, help="How many pairs of known mistakes are made in each step.")
    ] = PAIRS,
    seed: Annotated[
        int | None, typer.Option(min=0, help="A seed other than the lesson's public one.")
    ] = None,
    jobs: Annotated[int, typer.Option(min=0, help="Processes; 0 is one for each core.")] = 0,
    json: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write everything that was found, with the kill matrix."),
    ] = None,
    html: Annotated[Path | None, typer.Option(metavar="FILE", help="The same as a page.")] = None,
) -> None:
    """Prove a lesson: right work passes, wrong work fails and is named, and no slip in the solution goes unnoticed.

    Exit codes: 0 proved, 1 not proved, 2 the lesson cannot be used, 3 the machine failed.
    """
    from .screen import render

    many, few = (QUICK_SEEDS, QUICK_MUTANTS) if quick else (SEEDS, None)
    plan = Plan(
        slug=slug,
        root=find_course(course),
        seed=seed,
        seeds=many if seeds is None else seeds,
        mutants=few if mutants is None else mutants,
        right=right,
        right_seeds=right_seeds,
        pairs=pairs,
        processes=jobs,
    )
    found = run(plan, json, html)
    width, colour, unicode = display()
    typer.echo(render(found, width=width, colour=colour, unicode=unicode), nl=False)
    if not found.proved:
        raise typer.Exit(1)


def run(plan: Plan, json: Path | None, html: Path | None) -> Audit:
    """Audit as planned, with a progress bar on a terminal; write what was asked for. Raises GraderError."""
    check_places(file for file in (json, html) if file is not None)
    task = prepare(replace(plan, right=plan.right or _usual(plan)))
    with _progress(task.total) as tick:
        result = audit(task, plan.processes, tick)
    if json is not None:
        write_text(json, result.to_json())
    if html is not None:
        from .matrix import render

        write_text(html, render(result))
    return result


def _usual(plan: Plan) -> Path | None:
    """The right submissions kept beside the lesson; with several lessons nobody knows whose they are."""
    root = find_course(plan.root)
    folder = root.joinpath(*RIGHT)
    return folder if folder.is_dir() and len(lesson_slugs(root)) == 1 else None


@contextmanager
def _progress(total: int) -> Iterator[Callable[[int], None]]:
    """A bar on standard error while it is a terminal, else nothing."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("Auditing"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("audit", total=total)
        yield lambda count: bar.advance(task, count)
