"""The statistics as one page: nothing is loaded, no script runs, and it is read by eye or by ear."""

from __future__ import annotations

from markupsafe import Markup

from grader.core.errors import LessonError
from grader.core.escape import html_policy
from grader.core.templates import render as fill
from grader.core.templates import template_text
from grader.quiz.shown.prose import html, inline_html

from . import words
from .pictures import choice_rows, histogram, map_of
from .report import StatsReport
from .words import to_look_at

__all__ = ["render_page"]

TEMPLATE, STYLE = "quiz/stats.html.j2", "quiz/stats.css"


def render_page(report: StatsReport) -> str:
    """The page as HTML text. Raises InputError where the templates are not found."""
    style = template_text(STYLE)
    return fill(
        TEMPLATE,
        report=report,
        style=Markup(style),  # ours, and named to the browser by its digest
        policy=html_policy(style),
        words=words,
        anchors={question.id: f"question-{number}" for number, question in enumerate(report.questions, 1)},
        flagged=to_look_at(report),
        histogram=histogram(report),
        map=map_of(report),
        choice_rows=choice_rows,
        prose=_prose,
        line=_line,
    )


def _prose(markdown: str) -> Markup | str:
    """The text with its maths set; as written where a formula is not understood."""
    try:
        return html(markdown)
    except LessonError:
        return markdown


def _line(markdown: str) -> Markup | str:
    try:
        return inline_html(markdown)
    except LessonError:
        return markdown
