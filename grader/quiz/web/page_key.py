"""The key of a practice page: what its script may call right or wrong beyond doubt, and what it then says.

A page's script knows nothing of spelling slips or rubrics; where it cannot be sure it shows the answer and leaves the
marking to `grader quiz mark`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from markupsafe import Markup

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
    DrawnTrueFalse,
)
from grader.quiz.shown.prose import html, inline_html
from grader.quiz.shown.solution import right_letters, right_order, right_pairs, solution

__all__ = ["page_key", "told"]

EXACT = 2**53  # a script's numbers are whole up to here


def page_key(drawn: Drawn) -> dict[str, object]:
    """What the script compares an answer with."""
    match drawn:
        case DrawnTrueFalse():
            return _choice(["true" if drawn.answer else "false"], many=False, partial="none")
        case DrawnChoice():
            return _choice(right_letters(drawn.options), many=drawn.select == "many", partial=drawn.partial)
        case DrawnNumeric() if abs(drawn.answer) < EXACT:
            return _number(drawn)
        case DrawnOrdering():
            return {"kind": "order", "right": right_order(drawn), "partial": drawn.partial}
        case DrawnMatching():
            return {"kind": "match", "right": right_pairs(drawn), "partial": drawn.partial}
        case DrawnFill():
            return {"kind": "blanks", "accept": [list(blank.accept) for blank in drawn.blanks]}
        case DrawnShape():
            accept = [list(shape) for shape in (drawn.answer, *drawn.also)]
            return {"kind": "shape", "accept": accept, "traps": [list(trap.answer) for trap in drawn.traps]}
        case DrawnCode():
            return _code(drawn)
        case _:
            return {"kind": "open"}


def told(drawn: Drawn) -> Mapping[str, Markup]:
    """What the script shows after an answer, by name: the feedback on each part, and the solution."""
    found = {name: Markup("<p>{}</p>").format(text) for name, text in _feedback(drawn)}
    answer = Markup("<p><strong>The answer:</strong> {}</p>\n").format(inline_html(solution(drawn)))
    return {**found, "solution": answer + html(drawn.explanation)}


def _choice(right: list[str], *, many: bool, partial: str) -> dict[str, object]:
    return {"kind": "choice", "right": right, "many": many, "partial": partial}


def _number(drawn: DrawnNumeric) -> dict[str, object]:
    slack = max(drawn.absolute, drawn.relative * abs(float(drawn.answer)))
    units = sorted((unit for unit in (drawn.unit, *drawn.units) if unit), key=len, reverse=True)
    traps = [float(trap.answer) for trap in drawn.traps]
    return {"kind": "number", "value": float(drawn.answer), "slack": slack, "units": units, "traps": traps}


def _code(drawn: DrawnCode) -> dict[str, object]:
    if drawn.ask == "line":
        return {"kind": "line", "right": list(drawn.lines)}
    if drawn.ask == "output":
        return {"kind": "text", "accept": list(drawn.prints)}
    return _choice(right_letters(drawn.options), many=drawn.select == "many", partial=drawn.partial)


def _feedback(drawn: Drawn) -> Iterator[tuple[str, Markup]]:
    match drawn:
        case DrawnTrueFalse():
            for said, text in drawn.feedback.items():
                yield "true" if said else "false", inline_html(text)
        case DrawnChoice() | DrawnCode():
            yield from _on_options(drawn.options, named=drawn.select == "many")
        case DrawnNumeric() | DrawnShape():
            for place, text in enumerate(trap.feedback for trap in drawn.traps):
                yield f"trap{place}", inline_html(text)
        case DrawnFill():
            for place, blank in enumerate(drawn.blanks):
                if blank.feedback:
                    yield f"blank{place}", inline_html(blank.feedback)


def _on_options(options: Sequence[DrawnOption], *, named: bool) -> Iterator[tuple[str, Markup]]:
    for option in options:
        if option.feedback:
            text = inline_html(option.feedback)
            yield option.letter, Markup("{}: {}").format(option.letter, text) if named else text
