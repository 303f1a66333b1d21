"""Expressions as people write them, compared by what they come to."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection
from fractions import Fraction

from .arithmetic import ExpressionError
from .expressions import evaluate, parse
from .notation import Notation, plain

__all__ = ["Term", "term", "tidy"]

Term = tuple[Fraction, ...]

_TIMES = re.compile(
    r"\s*(?:\btimes\b|\bmultiplied (?:by|with)\b|\bmal\b|(?<=[\w)\s])\s[xX]\s(?=[\w(\s])|\*)\s*"
)
_OVER = re.compile(r"\s*(?:\bdivided by\b|\bover\b|÷)\s*")
_SIDE_BY_SIDE = re.compile(r"(?<=[\w)])\s+(?=[A-Za-z_])")
_KEYWORDS = re.compile(r"\b(?:and|or|not|if|else|in|is|true|false)\b", re.IGNORECASE)
ROUNDS = 3  # two expressions that agree at three unrelated places are one


def tidy(text: str, notation: Notation) -> str:
    """The text with symbols, signs for times and division, case and spaces in their one form."""
    text = notation.in_terms(plain(text)).casefold()
    text = _OVER.sub("/", _TIMES.sub(" * ", text))
    return " ".join(text.replace("{", "").replace("}", "").split())


def term(text: str, notation: Notation, names: Collection[str] = ()) -> Term | None:
    """What the expression comes to at places chosen by its names; None for what is no expression.

    A name is a symbol of the notation, a letter, one with a subscript, or one of `names` (in lower case).
    """
    flat = tidy(text, notation).strip(" .,;")
    if _KEYWORDS.search(flat) or "'" in flat or '"' in flat or len(flat) > 120:
        return None
    flat = _SIDE_BY_SIDE.sub("*", flat)
    try:
        parsed = parse(flat)
        if not parsed.names <= _symbols(parsed.names, notation).union(names):
            return None
        values = [
            evaluate(parsed, {name: _place(name, turn) for name in parsed.names}) for turn in range(ROUNDS)
        ]
    except ExpressionError:
        return None
    if not all(isinstance(value, Fraction) for value in values):
        return None
    return tuple(value for value in values if isinstance(value, Fraction))


def _symbols(names: frozenset[str], notation: Notation) -> frozenset[str]:
    """Of these names those that are symbols: known ones, single letters, and ones with a subscript."""
    known = notation.names
    return frozenset(name for name in names if name in known or len(name) == 1 or "_" in name)


def _place(name: str, turn: int) -> Fraction:
    digest = hashlib.sha256(f"{turn}:{name}".encode()).digest()
    return Fraction(int.from_bytes(digest[:4], "big") + 2)
