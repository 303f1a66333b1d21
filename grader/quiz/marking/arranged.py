"""Marks what is put in order and what is matched, by letters or by texts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from grader.quiz.drawing.drawn import DrawnMatching, DrawnOrdering, DrawnPart
from grader.quiz.expressions.notation import Notation
from grader.quiz.expressions.terms import tidy
from grader.quiz.questions.marked import Verdict, review, right, wrong

__all__ = ["matching_verdict", "ordering_verdict", "shared"]

_ARROWS = re.compile(r"\s*(?:->|=>|→|⇒|>|<|,|;|\n|\bthen\b|\|)\s*")
_NUMBERED = re.compile(r"(?:^|\s)\(?\d{1,2}[.):]\s*")
_PAIR = re.compile(r"\(?(\d{1,2})\)?\s*(?:[-–=:.,)>]+|\s|to)?\s*\(?([a-z])\)?(?![a-z])", re.IGNORECASE)


def ordering_verdict(drawn: DrawnOrdering, parts: Sequence[str], notation: Notation) -> Verdict:
    """The outcome for an order; `adjacent` earns the share of neighbours that stand as they should."""
    places = _row(drawn.items, parts, notation)
    if places is None:
        return review("it cannot be read as an order of the items")
    size = len(drawn.items)
    if sorted(places) != list(range(size)):
        return wrong("Every item must stand in the order exactly once.")
    if places == list(range(size)):
        return right()
    kept = sum(after == before + 1 for before, after in pairwise(places))
    return shared(kept, size - 1, f"{kept} of {size - 1} neighbours stand as they should.", drawn.partial)


def matching_verdict(drawn: DrawnMatching, parts: Sequence[str], notation: Notation) -> Verdict:
    """The outcome for pairs, given as `1b 2a` or as the rights in the order of the lefts."""
    size = len(drawn.lefts)
    pairs = _pairs(drawn, parts)
    if pairs is None:
        row = _row(drawn.rights, parts, notation)
        if row is None or len(row) > size:
            return review("it cannot be read as pairs")
        pairs = dict(enumerate(row))
    if any(left >= size for left in pairs):
        return review("it names a number that is not there")
    good = sum(left == place for left, place in pairs.items())
    if good == size:
        return right()
    return shared(good, size, f"{good} of {size} pairs are right.", drawn.partial)


def shared(good: int, most: int, message: str, rule: str) -> Verdict:
    """A verdict by share, where the question's rule gives one."""
    if rule == "none" or good == 0:
        return wrong(message)
    return Verdict("partial", good / most, message)


def _pairs(drawn: DrawnMatching, parts: Sequence[str]) -> dict[int, int] | None:
    letters = {part.letter.casefold(): part.place for part in drawn.rights}
    text = " ; ".join(parts).casefold()
    found = _PAIR.findall(text)
    rest = re.sub(r"[\s,;.:()\[\]&-]|and", "", _PAIR.sub(" ", text))
    if not found or rest or any(letter not in letters for _, letter in found):
        return None
    pairs = {int(number) - 1: letters[letter] for number, letter in found}
    return pairs if len(pairs) == len(found) and min(pairs) >= 0 else None


def _row(items: Sequence[DrawnPart], parts: Sequence[str], notation: Notation) -> list[int] | None:
    """The places of the items named, in the order named; None where one is not understood."""
    letters = {item.letter.casefold(): item.place for item in items}
    texts = {tidy(item.text, notation): item.place for item in items}
    pieces = list(parts)
    if len(pieces) == 1 and tidy(pieces[0], notation) not in texts:
        text = _NUMBERED.sub(" , ", pieces[0].casefold()).strip(" ,.()[]")
        if re.fullmatch(r"[a-z]{2,12}", text) and set(text) <= set(letters):
            pieces = list(text)
        elif re.fullmatch(r"[a-z](?:[\s-]+[a-z])+", text):
            pieces = re.split(r"[\s-]+", text)
        else:
            pieces = [piece for piece in _ARROWS.split(text) if piece]
    row = []
    for piece in pieces:
        letter = piece.strip(" ().[]:").casefold()
        place = letters.get(letter, texts.get(tidy(piece, notation).strip(" .")))
        if place is None:
            return None
        row.append(place)
    return row or None
