"""Marks a tensor's shape, in symbols or numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence

from grader.quiz.drawing.drawn import DrawnShape
from grader.quiz.expressions.notation import Notation, plain
from grader.quiz.expressions.terms import Term, term
from grader.quiz.questions.marked import Verdict, review, right, wrong

__all__ = ["shape_verdict"]

_WRAP = re.compile(
    r"^(?:the\s+)?(?:shape|size|torch\.size|tensor|it|is|of|its|are|=|:|\s)*(?=[(\[\w])", re.IGNORECASE
)


def shape_verdict(drawn: DrawnShape, parts: Sequence[str], notation: Notation) -> Verdict:
    """The outcome for a shape; one with names that nobody knows goes to a person."""
    dimensions = list(parts) if len(parts) > 1 else _split(parts[0])
    shapes = (drawn.answer, *drawn.also)
    known = {
        name
        for shape in (*shapes, *(trap.answer for trap in drawn.traps))
        for part in shape
        for name in _names(part, notation)
    }

    def terms(shape: Sequence[str]) -> list[Term | None]:
        return [term(part, notation, known) for part in shape]

    given = terms(dimensions)
    if not given or None in given:
        return review("it cannot be read as a shape")
    if any(given == terms(shape) for shape in shapes):
        return right()
    for trap in drawn.traps:
        if given == terms(trap.answer):
            return wrong(trap.feedback)
    names = {name for part in dimensions for name in _names(part, notation)}
    if len(given) == len(drawn.answer) and not names <= known | notation.names:
        return review("it holds a symbol that the question does not know")
    return wrong()


def _split(text: str) -> list[str]:
    flat = " ".join(plain(text).split()).strip(" .\"'")
    flat = _WRAP.sub("", flat)
    inner = re.fullmatch(r"[A-Za-z.]*\s*[(\[]+(.*?)[)\]]+", flat)
    flat = inner.group(1) if inner else flat
    if "," in flat:
        pieces = re.split(r",(?![^(]*\))", flat)
    elif ";" in flat:
        pieces = flat.split(";")
    else:
        pieces = re.split(r"\s+[xX*]\s+|\s*×\s*", flat) if re.search(r"\s[xX*]\s", flat) else flat.split()
    return [piece.strip() for piece in pieces if piece.strip()]


def _names(part: str, notation: Notation) -> set[str]:
    return set(re.findall(r"[a-z_]\w*", notation.in_terms(plain(part)).casefold()))
