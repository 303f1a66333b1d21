"""Quotes a learner's line from what was handed in: what its process says stands there may be anything."""

from __future__ import annotations

from dataclasses import replace

from grader.core.text import printable
from grader.lesson.answers import Answer, Line, Loading, Raised, Transcript
from grader.submission.model import Submission

Sources = dict[str, list[str]]
WIDTH = 200  # characters of a quoted line


def quoted(found: Transcript, submission: Submission) -> Transcript:
    """The transcript with every line of a traceback as it stands in the submission; lines that are not there go."""
    sources: Sources = {
        f"{module.path}, {cell.label}" if cell.label else module.path: cell.text.splitlines()
        for module in submission.modules
        for cell in module.cells
    }
    return replace(
        found,
        loadings={step: _loading(sources, report) for step, report in found.loadings.items()},
        answers={probe: _answer(sources, answer) for probe, answer in found.answers.items()},
        again={probe: _answer(sources, answer) for probe, answer in found.again.items()},
    )


def _answer(sources: Sources, answer: Answer) -> Answer:
    return answer if answer.raised is None else replace(answer, raised=_raised(sources, answer.raised))


def _loading(sources: Sources, report: Loading) -> Loading:
    error = None if report.error is None else _raised(sources, report.error)
    over = tuple((label, _raised(sources, raised)) for label, raised in report.passed_over)
    return replace(report, error=error, passed_over=over)


def _raised(sources: Sources, raised: Raised) -> Raised:
    lines = tuple(_line(sources[line.path], line) for line in raised.lines if _there(sources, line))
    return replace(raised, lines=lines)


def _there(sources: Sources, line: Line) -> bool:
    return line.path in sources and line.number <= len(sources[line.path]) + 1


def _line(text: list[str], line: Line) -> Line:
    there = 0 < line.number <= len(text)
    return replace(line, text=printable(text[line.number - 1].strip(), WIDTH) if there else "")
