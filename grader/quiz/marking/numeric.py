"""Marks a number, with or without its unit."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from fractions import Fraction

from grader.quiz.drawing.drawn import DrawnNumeric
from grader.quiz.expressions.arithmetic import ExpressionError
from grader.quiz.expressions.expressions import evaluate
from grader.quiz.expressions.notation import plain
from grader.quiz.questions.marked import Verdict, review, right, wrong

__all__ = ["numbers_in", "numeric_verdict", "read_number"]

_WORDS = {
    word: str(value)
    for value, word in enumerate(
        (
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
        )
    )
}
_LEAD = re.compile(
    r"^(?:(?:it|that|this|the answer|answer|exactly|is|are|it's|equals?|=|:|i think|we get)\b\s*|[=:]\s*)+",
    re.IGNORECASE,
)
_HEDGE = re.compile(
    r"\b(?:about|around|approx\w*|roughly|maybe|perhaps|or|not|between|at least|at most|more|less)\b|[?~≈<>]"
)
_NAMED = re.compile(r"^[A-Za-z_][\w ]{0,30}=\s*")


def numeric_verdict(drawn: DrawnNumeric, answer: str) -> Verdict:
    """The outcome for a number; what cannot be read as one goes to a person."""
    values = list(read_number(answer, tuple(unit for unit in (drawn.unit, *drawn.units) if unit)))
    if not values:
        return review("it cannot be read as one number")
    slack = max(Fraction(drawn.absolute), Fraction(drawn.relative) * abs(drawn.answer))
    if any(abs(value - drawn.answer) <= slack for value in values):
        return right()
    for trap in drawn.traps:
        if trap.answer in values:
            return wrong(trap.feedback)
    return wrong()


def read_number(text: str, units: Iterable[str] = ()) -> Iterator[Fraction]:
    """The numbers that the text can mean: `1,024` is 1024, and 1.024 to others; none where it is no number."""
    flat = " ".join(plain(text).split()).strip(" !\"'").rstrip(".")
    flat = _LEAD.sub("", flat)
    if _HEDGE.search(flat.casefold()):
        return
    for unit in sorted(units, key=len, reverse=True):
        bare = " ".join(plain(unit).split())
        if flat.casefold().endswith(bare.casefold()) and flat[: -len(bare)].strip():
            flat = flat[: -len(bare)].strip(" -")
            break
    flat = _NAMED.sub("", flat)
    flat = flat.rpartition("=")[2].strip() if "=" in flat else flat
    flat = _WORDS.get(flat.casefold(), flat)
    for reading in _readings(flat):
        try:
            value = evaluate(reading.replace("^", "**"), {})
        except ExpressionError:
            continue
        if isinstance(value, Fraction):
            yield value


def _readings(flat: str) -> Iterator[str]:
    joined = re.sub(r"(?<=\d)[ _'](?=\d{3}\b)", "", flat)
    if re.search(r"\d,\d", joined):
        if re.fullmatch(r"[-+]?\d{1,3}(?:,\d{3})+(?:\.\d+)?", joined):
            yield joined.replace(",", "")
        if re.fullmatch(r"[-+]?\d+,\d+", joined):
            yield joined.replace(",", ".")
        return
    yield re.sub(r"(?<=[\d)])\s+x\s+(?=[\d(])", " * ", joined)


def numbers_in(text: str) -> list[int]:
    """The whole numbers that stand in a text, in order."""
    return [int(found) for found in re.findall(r"(?<![\w.])\d{1,9}(?![\w]|\.\d)", text)]
