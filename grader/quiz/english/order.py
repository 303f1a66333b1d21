"""Which of two things an answer says comes first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from .english import SEQUENCE
from .phrases import Hit
from .words import stem

__all__ = ["Order", "order"]

Order = Literal["right", "wrong", "unclear"]

# "W_O applied to the concatenation", "W_O(concat)": what stands behind is the input, so it comes first.
_ONTO = frozenset(("to", "on", "onto", "of", "after", "over", "(", "upon", "once", "times", "from", "when"))
_OTHERS = frozenset((stem("other"), stem("another")))
_OWN = frozenset(("the", "this", "that", "their", "its"))
_HEADS = frozenset(("first", "initially", "begin", "start", "starts"))


def order(tokens: Sequence[str], earlier: Sequence[Hit], later: Sequence[Hit]) -> Order:
    """Whether the claims `earlier` are said to happen before the claims `later`."""
    tokens = _without_rows(tokens)
    first = _first(tokens, earlier[0], later[0])
    if first == "right" and any(_turned(tokens, a, b) for a in earlier for b in later if a.start > b.start):
        return "unclear"  # it says so, and says the opposite too
    return first


def _without_rows(tokens: Sequence[str]) -> list[str]:
    """The words with a little one for the "after" of "one after the other", which speaks of no order in time."""
    return [
        "the" if token == "after" and _OTHERS & set(tokens[index + 1 : index + 3]) else token
        for index, token in enumerate(tokens)
    ]


def _turned(tokens: Sequence[str], a: Hit, b: Hit) -> bool:
    """Whether a later pair of claims stands the other way round, said in so many words."""
    between = set(tokens[b.end : a.start])
    if between & {".", "?", "before", "after"} or _ONTO & between:
        return False
    return bool(between & {"and_then", "followed"}) or "first" in between


def _first(tokens: Sequence[str], a: Hit, b: Hit) -> Order:
    """What the first claim of each says."""
    return _as_it_stands(tokens, a, b) if a.start <= b.start else _turned_round(tokens, a, b)


def _as_it_stands(tokens: Sequence[str], a: Hit, b: Hit) -> Order:
    """What is said where the earlier claim stands first."""
    between = tokens[a.end : b.start]
    if "after" in between and not {"and_then", "it", ",", "."} & set(between):
        return "wrong"  # "concatenated after W_O was applied"
    if tokens[max(a.start - 2, 0) : a.start].count("after") or "before" in between:
        return "right"
    if "follow" in between:
        return "unclear"  # "the concatenation follows W_O", or "follows, and W_O"
    if tokens[b.end : b.end + 2].count("first") and "first" not in tokens[: a.end]:
        return "unclear"
    return "right"


def _turned_round(tokens: Sequence[str], a: Hit, b: Hit) -> Order:
    """What is said where the later claim stands first."""
    between = tokens[b.end : a.start]
    if "before" in between and {"but", "that", "this"} & set(between):
        return "unclear"  # "W_O, but before that the concatenation"
    if "before" in tokens[max(b.start - 3, 0) : b.start]:
        return "right"  # "before multiplying by W_O it concatenates"
    if "after" in tokens[max(b.start - 3, 0) : b.start]:
        return "wrong"  # "after multiplying by W_O it concatenates"
    if tokens[a.start - 1] in _OWN and not (SEQUENCE | {"and", "or", "also"}) & set(between):
        return "right"  # "W_O projects the concatenation"
    if _ONTO & set(between) and not {"before", "and_then", "followed", "then"} & set(between):
        return "right"
    if (SEQUENCE - {",", ".", ":"}) & set(between) or _HEADS & set(tokens[max(b.start - 4, 0) : b.end + 2]):
        return "wrong"
    return "unclear"
