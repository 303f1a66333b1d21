"""Figures as words, the same in every view."""

from __future__ import annotations

from .flags import TOO_FEW
from .report import QuestionFigures, StatsReport, TestFigures

__all__ = [
    "counted",
    "decimal",
    "per_cent",
    "reliability",
    "summary",
    "time",
    "to_look_at",
    "too_few",
    "unsaid",
]

NOTHING = "–"


def per_cent(share: float | None, digits: int = 0) -> str:
    """A share as a percentage; a dash for none."""
    return NOTHING if share is None else f"{100 * share:.{digits}f} %"


def decimal(value: float | None) -> str:
    """Two decimals, never a negative zero; a dash for none."""
    return NOTHING if value is None else f"{round(value, 2) + 0.0:.2f}".replace("-", "−")


def time(seconds: float | None) -> str:
    """Seconds, or minutes and seconds; a dash for none."""
    if seconds is None:
        return NOTHING
    whole = round(seconds)
    return f"{whole} s" if whole < 100 else f"{whole // 60}:{whole % 60:02} min"


def counted(count: int, noun: str) -> str:
    """`1 sheet`, `2 sheets`."""
    return f"{count} {noun}" + ("" if count == 1 else "s")


def reliability(test: TestFigures) -> str:
    """Alpha with its interval."""
    if test.alpha is None:
        return NOTHING
    if test.alpha_interval is None:
        return decimal(test.alpha)
    low, high = test.alpha_interval
    return f"{decimal(test.alpha)} (95 % interval {decimal(low)} to {decimal(high)})"


def summary(report: StatsReport) -> str:
    """The whole in a line."""
    return f"{counted(report.sheets, 'sheet')}, {counted(len(report.questions), 'question')}"


def to_look_at(report: StatsReport) -> tuple[QuestionFigures, ...]:
    """The questions that the figures say something against, in the order of the quiz."""
    return tuple(question for question in report.questions if question.flags and not unsaid(question))


def unsaid(question: QuestionFigures) -> bool:
    """Whether too few sheets have the question to say anything of it."""
    return any(flag.startswith(TOO_FEW) for flag in question.flags)


def too_few(report: StatsReport) -> str:
    """A line that names the questions of which nothing can be said; "" where there is none."""
    found = [question for question in report.questions if unsaid(question)]
    if not found:
        return ""
    if len(found) == len(report.questions):
        return "Too few sheets to say anything of a single question."
    named = [f"{question.id} ({question.sheets - question.waiting})" for question in found]
    return f"Too few marked sheets to say: {', '.join(named)}."
