"""`grader bundle`: makes an assignment's bundles, and looks into one before it is published."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from grader.core.errors import InputError
from grader.core.files import check_places, write_bytes
from grader.core.options import CourseOption, LessonOption
from grader.core.ticker import Ticker
from grader.lesson.courses import find_course

from .choices import due_date, read_course
from .contents import taken_along
from .kinds import KINDS
from .making import made, source_of
from .model import Kind, Options

ALL = "all"
WHOM = {
    "learner": "for learners: what it grades is practice",
    "staff": "for staff only: no learner may have it",
}
app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command("bundle")
def command(
    kind: Annotated[
        str, typer.Argument(metavar="KIND", help=f"{', '.join(KINDS)}, all; or check, with a bundle.")
    ],
    bundle: Annotated[Path | None, typer.Argument(help="With check: the bundle to look into.")] = None,
    *,
    out: Annotated[
        Path | None, typer.Option(metavar="PATH", help="The file to write; a folder for several bundles.")
    ] = None,
    lesson: LessonOption = None,
    course: CourseOption = None,
    course_name: Annotated[
        str | None, typer.Option(metavar="NAME", help="The course's name, for titles.")
    ] = None,
    due: Annotated[str | None, typer.Option(metavar="DATE", help="2026-12-01T23:59+01:00, say.")] = None,
    points: Annotated[
        float | None, typer.Option(min=0.01, help="What the whole is worth on platforms.")
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="A public seed other than the lesson's.")] = None,
    steps: Annotated[str | None, typer.Option(metavar="ID,ID", help="These steps alone.")] = None,
    practice_quiz: Annotated[
        str | None,
        typer.Option(
            metavar="ID,ID",
            help="Questions that learners may have with their key; check: the Knowledge Check.",
        ),
    ] = None,
    options: Annotated[
        Path | None,
        typer.Option("--options", metavar="FILE", help="Options written once; else course.yaml here."),
    ] = None,
) -> None:
    """Make a bundle: for learners without the reference, for staff with it.

    Exit codes: 0 made; 2 what was asked for cannot be made; 3 the machine failed.
    """
    if kind == "check":
        _check(bundle, course)
        return
    if kind not in (*KINDS, ALL):
        raise InputError(f"no bundle is called {kind!r}; there are {', '.join(KINDS)} and all")
    if bundle is not None:
        raise InputError(f"{bundle}: one argument too many; say --out {bundle}")
    if out is None:
        raise InputError("say where to write it: --out PATH")
    root = find_course(course)
    written = read_course(options, root)
    chosen = replace(
        written,
        course=written.course if course_name is None else course_name,
        due=due_date(written.due if due is None else due),
        points=written.points if points is None else points,
        seed=written.seed if seed is None else seed,
        steps=written.steps if steps is None else _names(steps),
        practice_quiz=written.practice_quiz if practice_quiz is None else _names(practice_quiz),
    )
    names = list(KINDS) if kind == ALL else [kind]
    made_now = [each for name in names for each in KINDS[name]]
    _make([(each, _place(each, kind, out, len(made_now) > 1)) for each in made_now], lesson, chosen, root)


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _page(place: Path) -> Path:
    """Where the page lies that tells of a bundle in which nothing can be told."""
    return place.with_name(f"{place.stem}-README.md")


def _place(kind: Kind, asked: str, out: Path, many: bool) -> Path:
    """Where a bundle goes: the file that was named, or a file of its own name in a folder."""
    folder = out.is_dir() or (many and not out.suffix)
    if folder:
        return out / f"{kind.name}{kind.suffix}"
    if kind.name == asked:
        return out  # what belongs to it lies beside it, under a longer name, and is never mistaken for it
    return out.with_name(f"{out.stem}-{kind.name.removeprefix(f'{asked}-')}{kind.suffix}")


def _make(places: list[tuple[Kind, Path]], lesson: str | None, options: Options, root: Path) -> None:
    for _, place in places:
        if not place.parent.exists():
            place.parent.mkdir(parents=True)
    pages = {place: _page(place) for kind, place in places if kind.beside is not None}
    check_places([*(place for _, place in places), *pages.values()])
    ready: list[tuple[Kind, Path, bytes]] = []
    told: list[tuple[Path, bytes]] = []
    with Ticker("Bundles", len(places), counts="made") as ticker:
        source = source_of(lesson, options, root, ticker.at)
        for kind, place in places:
            ticker.at(kind.name)
            ready.append((kind, place, made(kind, source)))
            if kind.beside is not None:
                told.append((pages[place], kind.beside(source, place.name).data))
            ticker.done()
    for page, text in told:
        write_bytes(page, text)
    for step, files in (
        taken_along(source.lesson).items() if options.steps and source.lesson.reference else ()
    ):
        if files:
            typer.echo(
                f"{step} builds upon {', '.join(files)}, not among the steps: learners write that part in it, too"
            )
    for kind, place, data in ready:
        write_bytes(place, data)
        whom = WHOM[kind.audience]
        typer.echo(f"{place}: {len(data) / 1024:.0f} KiB, {whom}; {kind.say}")
        if place in pages:
            typer.echo(f"{pages[place]}: how to use it")


def _check(bundle: Path | None, course: Path | None) -> None:
    from .checking import examine

    if bundle is None:
        raise InputError("say which bundle: grader bundle check FILE")
    told = examine(bundle, course)
    typer.echo("\n".join(told.lines))
    if told.wrong:
        raise typer.Exit(1)
