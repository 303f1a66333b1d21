"""`grader quiz stats`: what marked sheets say about each question, and about the test."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from grader.core.errors import InputError
from grader.core.escape import terminal
from grader.core.files import check_places, write_text
from grader.core.options import CourseOption, LessonOption

from .mark import BankOption, SeedOption

if TYPE_CHECKING:
    from grader.quiz.bank.bank import Bank
    from grader.quiz.stats.results import Results

__all__ = ["stats"]


def stats(
    results: Annotated[
        list[Path], typer.Argument(metavar="RESULTS...", help="Records that grader quiz mark --json wrote.")
    ],
    sheets: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="PATH",
            help="The sheets, or a folder of them, for who chose what; may stand several times.",
        ),
    ] = None,
    json: Annotated[str | None, typer.Option(metavar="FILE", help="Write all figures; - for stdout.")] = None,
    html: Annotated[Path | None, typer.Option(metavar="FILE", help="Write a page with pictures.")] = None,
    bank: BankOption = None,
    seed: SeedOption = None,
    lesson: LessonOption = None,
    course: CourseOption = None,
) -> None:
    """Say which questions are bad: difficulty, discrimination, who chose what, and how reliable the whole is."""
    record_file = None if json in (None, "-") else Path(str(json))
    check_places(file for file in (record_file, html) if file is not None)

    from grader.quiz.stats.choices import chosen, read_sheets
    from grader.quiz.stats.results import question_ids, read_results

    read = read_results(results)
    warnings = list(read.warnings)
    loaded = _bank(read, bank, lesson, course, needed=bool(sheets))
    choices = None
    if sheets and loaded is not None:
        found = read_sheets(sheets, read.records)
        warnings += found.warnings
        choices = chosen(found, loaded, question_ids(read.records), seed)
    # Thousands of small products: a second thread makes each slower. Only before numpy is imported.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from grader.quiz.stats.analysis import analyse  # last: scipy takes its time

    report = analyse(read, loaded, choices)
    for warning in warnings:
        typer.echo(f"grader: {terminal(warning)}", err=True)
    if record_file is not None:
        write_text(record_file, report.to_json())
    if html is not None:
        from grader.quiz.stats.page import render_page

        write_text(html, render_page(report))
    if json == "-":
        _print(report.to_json())
        return
    from grader.quiz.stats.terminal import render

    width, colour, unicode = _terminal()
    _print(render(report, width=width, colour=colour, unicode=unicode))


def _bank(
    read: Results, bank: Path | None, lesson: str | None, course: Path | None, *, needed: bool
) -> Bank | None:
    """The bank asked for; else that of the results, which only sheets cannot do without. Raises InputError."""
    from grader.lesson.courses import find_course
    from grader.quiz.bank.bank import find_bank, read_bank

    if bank is None and lesson is None and not needed:
        try:
            path = find_course(course) / "quizzes" / f"{Path(read.quiz).name}.yaml"
            return read_bank(path) if path.is_file() else None
        except ValueError:  # a name that no file can have
            return None
        except InputError as error:
            typer.echo(f"grader: the questions' texts are left out: {terminal(str(error))}", err=True)
            return None
    loaded = read_bank(find_bank(bank, course, lesson, read.quiz))
    if loaded.quiz != read.quiz:
        raise InputError(
            f"the results are of {read.quiz[:60]!r}, the bank is {loaded.quiz!r}; name its --bank"
        )
    return loaded


def _terminal() -> tuple[int, bool, bool]:
    """The terminal's width, whether it shows colours, whether it knows Unicode."""
    import shutil

    tty = sys.stdout.isatty()
    unicode = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    width = shutil.get_terminal_size((80, 24)).columns if tty or "COLUMNS" in os.environ else 80
    return width, tty and "NO_COLOR" not in os.environ, unicode


def _print(text: str) -> None:
    """Write to standard output; one that knows fewer characters gets escapes, never an error."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    sys.stdout.write(text)
    sys.stdout.flush()
