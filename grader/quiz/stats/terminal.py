"""The statistics in a terminal: the whole in two lines, one line a question, what to look at, who chose what."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from grader.core.errors import LessonError
from grader.core.text import printable
from grader.quiz.shown.prose import plain_line
from grader.report.layout import NARROWEST, WIDEST, Page

from .report import QuestionFigures, StatsReport
from .words import decimal, per_cent, reliability, summary, time, to_look_at, too_few

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

__all__ = ["render"]

MANY = 12  # questions, above which the choices of only those to look at are shown
TEXT = 60  # characters of an option's text


def render(report: StatsReport, *, width: int, colour: bool, unicode: bool = True) -> str:
    """The report, at most `width` columns wide (never under 20); escape codes only with `colour`."""
    page = Page(width=max(NARROWEST, min(width, WIDEST)), unicode=unicode)
    return page.write(_blocks(report, page), colour=colour)


def _blocks(report: StatsReport, page: Page) -> Iterator[RenderableType]:
    test = report.test
    error = "" if test.standard_error is None else f", standard error {per_cent(test.standard_error)}"
    yield page.stack(
        page.text((report.title or report.quiz, "bold"), f": {summary(report)}"),
        page.text(f"mean {per_cent(test.mean)}, sd {per_cent(test.sd)}{error}"),
        page.text(f"reliability (Cronbach's alpha) {reliability(test)}"),
        *(page.under(page.hanging(page.text(("!", "yellow")), page.text(flag))) for flag in test.flags),
    )
    if report.questions:
        yield _figures(report, page)
    flagged = to_look_at(report)
    if flagged:
        lines = [
            page.hanging(page.text((question.id, "bold")), *(page.text(flag) for flag in question.flags))
            for question in flagged
        ]
        yield page.stack(page.text(("Look at:", "bold")), page.under(*lines))
    if unclear := too_few(report):
        yield page.text((unclear, "dim"))
    shown = [question for question in report.questions if question.options and question.choices]
    few = shown if len(shown) <= MANY else [question for question in shown if question.flags]
    if few:
        yield page.text(("Who chose what:", "bold"))
    for question in few:
        yield page.under(_choices(question, page))
    if len(few) < len(shown):
        yield page.text(
            (f"{len(shown) - len(few)} more questions' choices: --html FILE or --json FILE", "dim")
        )


def _figures(report: StatsReport, page: Page) -> Table:
    timed = any(question.seconds is not None for question in report.questions)
    waits = any(question.waiting for question in report.questions)
    heads = [
        "sheets",
        "blank",
        *(["waits"] if waits else []),
        "right",
        "discr.",
        *(["time"] if timed else []),
    ]
    table = _table(page, ["question", *heads, ""])
    for question in report.questions:
        cells = [str(question.sheets), str(question.sheets - question.answered)]
        cells += [str(question.waiting)] if waits else []
        cells += [per_cent(question.difficulty), decimal(question.discrimination)]
        cells += [time(question.seconds)] if timed else []
        sign = page.text(("!", "yellow")) if question.flags else page.text("")
        table.add_row(page.text(question.id), *(page.text(cell) for cell in cells), sign)
    return table


def _choices(question: QuestionFigures, page: Page) -> Table:
    parted = bool(question.upper and question.lower)
    heads = ["all", *([f"upper {question.upper}", f"lower {question.lower}"] if parted else [])]
    table = _table(page, [question.id, *heads, "", ""])
    for option in question.options:
        cells = [option.chosen, *([option.upper, option.lower] if parted else [])]
        text = printable(_written_out(option.text), TEXT)
        table.add_row(
            page.text(option.letter), *(page.text(str(cell)) for cell in cells),
            page.text(("key", "green") if option.key else ""), page.text((text, "dim")),
        )  # fmt: skip
    if question.no_option:
        table.add_row(page.text("(none)"), page.text(str(question.no_option)))
    return table


def _written_out(markdown: str) -> str:
    """The text with its maths as a person would type it; as it stands where a formula is not understood."""
    try:
        return plain_line(markdown)
    except LessonError:
        return markdown


def _table(page: Page, heads: list[str]) -> Table:
    """A plain table: the first column and those without a head are words, the others figures."""
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
    for place, head in enumerate(heads):
        words = place == 0 or not head
        table.add_column(
            page.text(head), justify="left" if words else "right", overflow="fold", no_wrap=not words
        )
    return table
