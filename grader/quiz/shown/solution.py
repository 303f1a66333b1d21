"""The right answer to a drawn question in words, for those who have answered it."""

from __future__ import annotations

from collections.abc import Iterable

from grader.quiz.drawing.drawn import (
    Drawn,
    DrawnChoice,
    DrawnCode,
    DrawnFill,
    DrawnMatching,
    DrawnNumeric,
    DrawnOption,
    DrawnOrdering,
    DrawnShape,
    DrawnShort,
    DrawnTrueFalse,
)
from grader.quiz.expressions.arithmetic import shown

__all__ = ["right_letters", "right_order", "right_pairs", "solution"]


def solution(drawn: Drawn) -> str:
    """The answer as Markdown, with its letters as the learner saw them."""
    match drawn:
        case DrawnTrueFalse():
            return "True" if drawn.answer else "False"
        case DrawnChoice():
            return _options(drawn.options)
        case DrawnShort():
            return drawn.model
        case DrawnNumeric():
            return f"{shown(drawn.answer)} {drawn.unit or ''}".strip()
        case DrawnOrdering():
            return ", ".join(right_order(drawn))
        case DrawnMatching():
            return ", ".join(right_pairs(drawn))
        case DrawnFill():
            texts = [blank.accept[0] for blank in drawn.blanks]
            return "; ".join(
                f"{place}: {_code(text)}" if len(texts) > 1 else _code(text)
                for place, text in enumerate(texts, 1)
            )
        case DrawnShape():
            return _code(f"({', '.join(drawn.answer)}{',' if len(drawn.answer) == 1 else ''})")
        case DrawnCode():
            return _of_code(drawn)


def right_letters(options: Iterable[DrawnOption]) -> list[str]:
    """The letters of the right options."""
    return [option.letter for option in options if option.correct]


def right_order(drawn: DrawnOrdering) -> list[str]:
    """The letters in the right order."""
    return [part.letter for part in sorted(drawn.items, key=lambda part: part.place)]


def right_pairs(drawn: DrawnMatching) -> list[str]:
    """The pairs as they are written on a sheet: `1b`, `2a`."""
    letters = {part.place: part.letter for part in drawn.rights}
    return [f"{place + 1}{letters[place]}" for place in range(len(drawn.lefts))]


def _of_code(drawn: DrawnCode) -> str:
    if drawn.ask == "choice":
        return _options(drawn.options)
    if drawn.ask == "line":
        return f"line {' or '.join(map(str, drawn.lines))}"
    return _code(drawn.prints[0])


def _options(options: tuple[DrawnOption, ...]) -> str:
    return "; ".join(f"{option.letter}: {option.text}" for option in options if option.correct)


def _code(text: str) -> str:
    """The text as code, whatever backticks it holds."""
    ticks = "`"
    while ticks in text:
        ticks += "`"
    return f"{ticks} {text} {ticks}" if "`" in text else f"`{text}`"
