"""Whether two things in one question would look, or count, the same."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator
from fractions import Fraction

from grader.quiz.expressions.arithmetic import ExpressionError, shown
from grader.quiz.expressions.expressions import Parsed, evaluate, parse

from .drawn import (  # fmt: skip
    Drawn,
    DrawnChoice,
    DrawnCode,
    DrawnMatching,
    DrawnNumeric,
    DrawnOption,
    DrawnOrdering,
    DrawnShape,
)

__all__ = ["clash", "same"]

TIMES = re.compile(r"\\cdot|\\times|[·×⋅]")


def same(text: str) -> Hashable:
    """Equal for texts that differ only in case, space, `$`, braces, code marks, the sign for times, or as numbers do."""
    bare = re.sub(r"[\s$`{}]+", "", TIMES.sub("*", text)).casefold()
    try:
        parsed: Parsed = parse(bare)
        return bare if parsed.names else evaluate(parsed, {})
    except ExpressionError:
        return bare


def clash(drawn: Drawn) -> str | None:
    """What in this draw comes out equal though it must not, in words; None where nothing does."""
    return next(_clashes(drawn), None)


def _clashes(drawn: Drawn) -> Iterator[str]:
    match drawn:
        case DrawnChoice(options=options) | DrawnCode(options=options):
            yield from _equal_options(options)
        case DrawnOrdering(items=items):
            yield from _twice("items", (item.text for item in items))
        case DrawnMatching(lefts=lefts, rights=rights):
            yield from _twice("lefts", lefts)
            yield from _twice("rights", (right.text for right in rights))
        case DrawnNumeric(answer=answer, traps=traps):
            slack = max(Fraction(drawn.absolute), Fraction(drawn.relative) * abs(answer))
            for trap in traps:
                if abs(trap.answer - answer) <= slack:
                    yield f"the trap {shown(trap.answer)} counts as the answer"
            yield from _twice("traps", (shown(trap.answer) for trap in traps))
        case DrawnShape(answer=answer, also=also, traps=shapes):
            right = {_shape(shape) for shape in (answer, *also)}
            for wrong in shapes:
                if _shape(wrong.answer) in right:
                    yield f"the trap ({', '.join(wrong.answer)}) is the answer"
        case _:
            return


def _equal_options(options: tuple[DrawnOption, ...]) -> Iterator[str]:
    owners: dict[Hashable, DrawnOption] = {}
    for option in sorted(options, key=lambda option: option.place):
        for text in (option.text, *option.also):
            owner = owners.setdefault(same(text), option)
            if owner is not option:
                yield f"two options are equal: {owner.text[:40]!r} and {text[:40]!r}"


def _twice(what: str, texts: Iterable[str]) -> Iterator[str]:
    seen: set[Hashable] = set()
    for text in texts:
        if same(text) in seen:
            yield f"two {what} are equal: {text[:40]!r}"
        seen.add(same(text))


def _shape(dimensions: tuple[str, ...]) -> tuple[Hashable, ...]:
    return tuple(same(dimension) for dimension in dimensions)
