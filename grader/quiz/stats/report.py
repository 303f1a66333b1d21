"""The report of a quiz's statistics, version 1: what `--json` writes and every view reads.

Every text in it is printable, and no learner is named.
"""

from __future__ import annotations

import json
from typing import Literal

from grader.core.escape import json_quiet
from grader.core.records import Frozen

__all__ = ["OptionFigures", "QuestionFigures", "StatsReport", "TestFigures", "WrittenAnswer"]


class OptionFigures(Frozen):
    """One option and how many chose it: all, the upper and the lower third, and the upper half in error.

    Letters are the bank's, whatever order a learner saw; `key` says whether it is right (in most draws).
    """

    letter: str
    text: str
    key: bool
    chosen: int
    upper: int
    lower: int
    strong_in_error: int


class WrittenAnswer(Frozen):
    """What several wrote that earned nothing, or not all."""

    text: str
    count: int


class QuestionFigures(Frozen):
    """One question. Shares are 0 to 1; None where a figure is undefined.

    `sheets` were asked, `answered` wrote something, `waiting` wait for a person (and stay out of the figures).
    Prompt and options of a parametrised question are those of one draw.
    `difficulty` is the mean share of the points: the higher, the easier. `choices` counts the answers read
    from sheets, `upper`, `lower` and `strong` how many of them are the thirds' and the upper half's by the
    score on the other questions (0 where these are too alike to part).
    """

    id: str
    kind: str = ""
    objective: str = ""
    prompt: str = ""
    parametrised: bool = False
    max_points: float
    sheets: int
    answered: int
    waiting: int
    difficulty: float | None
    discrimination: float | None
    discrimination_interval: tuple[float, float] | None
    seconds: float | None
    choices: int = 0
    upper: int = 0
    lower: int = 0
    strong: int = 0
    options: tuple[OptionFigures, ...] = ()
    no_option: int = 0
    written: tuple[WrittenAnswer, ...] = ()
    flags: tuple[str, ...] = ()


class TestFigures(Frozen):
    """The whole: mean and standard deviation of the learners' shares of the points, and how reliable they are.

    `standard_error` is the standard error of measurement, in the same unit. `histogram` counts the learners in
    ten equal steps from 0 to 1. Alpha is that of the `alpha_questions` questions that at least half of the sheets
    have, marked.
    """

    __test__ = False  # a record, whatever its name says to pytest

    mean: float | None
    sd: float | None
    alpha: float | None
    alpha_questions: int
    alpha_interval: tuple[float, float] | None
    standard_error: float | None
    histogram: tuple[int, ...]
    flags: tuple[str, ...] = ()


class StatsReport(Frozen):
    """What marked sheets say about a quiz."""

    version: Literal[1] = 1
    quiz: str
    title: str = ""
    sheets: int
    test: TestFigures
    questions: tuple[QuestionFigures, ...]

    def to_json(self) -> str:
        """The report as JSON text, numbers rounded to 4 decimals, a newline at the end."""
        text = json.dumps(_rounded(self.model_dump()), ensure_ascii=False, indent=2, allow_nan=False)
        return json_quiet(text) + "\n"


def _rounded(value: object) -> object:
    if isinstance(value, float):
        return round(value, 4)
    if isinstance(value, dict):
        return {key: _rounded(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(item) for item in value]
    return value
