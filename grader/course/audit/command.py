"""`grader audit`: from options to a plan, from findings to terminal, JSON, HTML and an exit code."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from grader.core.errors import InputError, LessonError
from grader.core.files import check_places, write_text
from grader.core.options import CourseOption
from grader.core.ticker import Ticker
from grader.lesson.courses import find_course, lesson_slugs
from grader.report.display import display

from .findings import Audit
from .right import INDEX, lesson_of
from .whole import Plan, audit, prepare

SEEDS, QUICK_SEEDS, QUICK_MUTANTS = 200, 5, 120
PAIRS = 0  # in each step; they take seconds apiece, so they are made when asked for
RIGHT = (
    "tests",
    "data",
    "golden",
    "right",
)  # where a course keeps right submissions; its index says of which lesson

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command("audit")
def command(
    slug: Annotated[
        str | None, typer.Argument(help="The lesson; every one of the course if left out.")
    ] = None,
    *,
    course: CourseOption = None,
    right: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Right submissions; without it tests/data/golden/right, if it is there."
        ),
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
    root = find_course(course)
    slugs = lesson_slugs(root) if slug is None else (slug,)
    if len(slugs) > 1 and (json is not None or html is not None or right is not None):
        raise InputError(f"--right, --json and --html are of one lesson; say which: {', '.join(slugs)}")
    plan = Plan(
        root=root,
        seed=seed,
        seeds=many if seeds is None else seeds,
        mutants=few if mutants is None else mutants,
        right=right,
        right_seeds=right_seeds,
        pairs=pairs,
        processes=jobs,
    )
    width, colour, unicode = display()
    proved = True
    for each in slugs:
        found = run(replace(plan, slug=each), json, html)
        typer.echo(render(found, width=width, colour=colour, unicode=unicode), nl=False)
        proved = proved and found.proved
    if not proved:
        raise typer.Exit(1)


def run(plan: Plan, json: Path | None, html: Path | None) -> Audit:
    """Audit as planned, saying how far it is; write what was asked for. Raises GraderError."""
    check_places(file for file in (json, html) if file is not None)
    task = prepare(replace(plan, right=plan.right or _usual(plan)))
    with Ticker(f"Auditing {task.lesson.slug}", task.total, counts="tried") as ticker:
        result = audit(task, plan.processes, ticker.done)
    if json is not None:
        write_text(json, result.to_json())
    if html is not None:
        from .matrix import render

        write_text(html, render(result))
    return result


def _usual(plan: Plan) -> Path | None:
    """The right submissions that the course keeps of this lesson; where there are none, that is said."""
    root = find_course(plan.root)
    slugs = lesson_slugs(root)
    slug = slugs[0] if plan.slug is None else plan.slug
    folder = root.joinpath(*RIGHT)
    said = lesson_of(folder) if folder.is_dir() else None
    if folder.is_dir() and said is None and len(slugs) > 1:
        raise LessonError(f"{folder / INDEX}: say whose right submissions these are: `lesson: SLUG`")
    if folder.is_dir() and said in (None, slug):
        return folder
    sys.stderr.write(f"grader: no right submissions of {slug} are kept, so no style of right work is tried\n")
    return None
