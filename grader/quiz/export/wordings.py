"""Numbers and shapes in the spellings that a program which only compares texts must be told."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Context
from fractions import Fraction

__all__ = ["bounds", "decimal", "is_decimal", "number_text", "shape_wordings", "tidy_shape"]

DIGITS = 15  # of a number that no decimal ends; a double keeps as many
CLOSE = Fraction(1, 10**6)  # how far off, in relation, an answer to such a number may be
_EXACT = Context(prec=400)
_TIMES = re.compile(r"\s*(?<!\*)\*(?!\*)\s*")
_SIGNS = (" * ", "*", "·", " · ", " ", " x ", " × ")


def is_decimal(value: Fraction) -> bool:
    """Whether a decimal with an end says it exactly."""
    rest = value.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    return rest == 1 and len(str(value.denominator)) < 300


def decimal(value: Fraction) -> str:
    """The number as a plain decimal, exact where one ends, else to 15 digits."""
    context = _EXACT if is_decimal(value) else Context(prec=DIGITS)
    text = f"{context.divide(context.create_decimal(value.numerator), value.denominator):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def number_text(value: float) -> str:
    """A float as its author wrote it: `1`, `0.5`, `33.33333`."""
    return decimal(Fraction(repr(value)))


def bounds(value: Fraction, slack: Fraction) -> tuple[Fraction, Fraction]:
    """The least and the greatest number that counts; a number that no decimal ends gets a little room."""
    room = slack if is_decimal(value) else max(slack, abs(value) * CLOSE)
    return value - room, value + room


def tidy_shape(shape: Sequence[str]) -> str:
    """The shape as Python writes it."""
    return f"({', '.join(shape)}{',' if len(shape) == 1 else ''})"


def shape_wordings(shape: Sequence[str]) -> tuple[str, ...]:
    """The ways to write a shape: brackets, spaces and signs for times; case is for the platform to pass over."""
    found = []
    for sign in _SIGNS:
        parts = [_TIMES.sub(sign, part) for part in shape]
        for comma in (", ", ","):
            inner = comma.join(parts)
            last = "," if len(parts) == 1 else ""
            found += [f"({inner}{last})", f"({inner})", inner, f"[{inner}]", f"torch.Size([{inner}])"]
    return tuple(dict.fromkeys(found))
