"""Marks blanks that were filled, and what a piece of code is said to do."""

from __future__ import annotations

import re
from collections.abc import Sequence

from grader.quiz.drawing.drawn import DrawnBlank, DrawnCode, DrawnFill
from grader.quiz.expressions.notation import Notation, folded
from grader.quiz.expressions.terms import term, tidy
from grader.quiz.questions.marked import Verdict, review, right, wrong

from .arranged import shared
from .numeric import numbers_in

__all__ = ["fill_verdict", "line_verdict", "print_verdict"]

_NUMBERED = re.compile(r"^\s*(?:\[\[)?\(?\d{1,2}(?:\]\]|[.):=])+\s*")


def fill_verdict(drawn: DrawnFill, parts: Sequence[str], notation: Notation) -> Verdict:
    """The outcome for all blanks; a word that only a person can judge sends the question to one."""
    size = len(drawn.blanks)
    filled = _apart(parts, size)
    if len(filled) != size:
        return review(f"{len(filled)} texts for {size} blanks")
    results = [_blank(blank, text, notation) for blank, text in zip(drawn.blanks, filled, strict=True)]
    if None in results:
        return review(f"blank {results.index(None) + 1} holds something that the question does not know")
    good = sum(bool(result) for result in results)
    if good == size:
        return right()
    first = drawn.blanks[results.index(False)]
    message = first.feedback or f"{good} of {size} blanks are right."
    return shared(good, size, message, drawn.partial)


def line_verdict(drawn: DrawnCode, parts: Sequence[str]) -> Verdict:
    """The outcome for the number of a line."""
    found = {number for part in parts for number in numbers_in(re.sub(r"[a-zA-Z#:]+", " ", part))}
    if len(found) != 1:
        return review("it does not name one line")
    return right() if found <= set(drawn.lines) else wrong("It is another line.")


def print_verdict(drawn: DrawnCode, text: str, notation: Notation) -> Verdict:
    """The outcome for what code prints; numbers and shapes are decided, other words go to a person."""
    wanted = {_output(printed) for printed in drawn.prints}
    given = _output(text)
    if given in wanted:
        return right()
    terms = {term(printed, notation) for printed in drawn.prints} - {None}
    meant = term(text, notation)
    if meant is not None and meant in terms:
        return right()
    literal = re.compile(r"[-\d\s.,()\[\]]+|true|false|none")
    if literal.fullmatch(given) and any(literal.fullmatch(printed) for printed in wanted):
        return wrong("It prints something else.")
    return review("it is not what the key holds, word for word")


def _output(text: str) -> str:
    flat = folded(text).replace('"', "'")
    flat = re.sub(r"^(?:it prints|prints|output:?|it's)\s+", "", flat)
    flat = re.sub(r"^torch\.size\(\s*\[(.*)\]\s*\)$|^\[(.*)\]$", r"(\1\2)", flat)
    return re.sub(r"\s*([,()\[\]:])\s*", r"\1", flat).replace(",)", ")").strip("'")


def _apart(parts: Sequence[str], size: int) -> list[str]:
    """The texts for the blanks, where one text holds several."""
    if len(parts) == 1 and size > 1:
        for separator in (r"\n", r";", r",(?![^(]*\))", r"\band\b|&"):
            pieces = [piece for piece in re.split(separator, parts[0]) if piece.strip()]
            if len(pieces) == size:
                return [_NUMBERED.sub("", piece).strip() for piece in pieces]
    return [_NUMBERED.sub("", part).strip() if size > 1 else part for part in parts]


def _blank(blank: DrawnBlank, text: str, notation: Notation) -> bool | None:
    """Whether a text fills a blank; None where a person must say."""
    if not text.strip(" -_"):
        return False
    if any(
        folded(text) == folded(accept) or tidy(text, notation) == tidy(accept, notation)
        for accept in blank.accept
    ):
        return True
    meant = term(text, notation)
    accepted = [term(accept, notation) for accept in blank.accept]
    if meant is not None:
        if meant in accepted:
            return True
        return False if any(item is not None for item in accepted) else None
    return None
