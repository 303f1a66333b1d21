"""Phrases of a rubric, compiled, and where an answer holds them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from .english import FILLERS, NEGATORS
from .words import Row, stem

__all__ = ["Finder", "Hit", "Line", "vocabulary"]

LITTLE = "~"  # stands before a filler in the line that is searched, so that a gap can skip it fast
_GAP = rf"(?: {LITTLE}\S+){{0,5}} "
_WIDE = rf"(?: (?!(?:[.?]|{'|'.join(sorted(NEGATORS))}) )\S+){{0,6}} "  # a denial between is no gap

Words = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Hit:
    """A phrase found: its first word's index and the index after its last."""

    start: int
    end: int


class Line:
    """A row as one line to search in, with what was found in it taken out on request."""

    def __init__(self, row: Row) -> None:
        self.tokens = list(row.stems)
        self._write()

    def _write(self) -> None:
        shown = [LITTLE + token if token in FILLERS or token in "()" else token for token in self.tokens]
        self.text = f" {' '.join(shown)} "
        self._starts = [0]
        for token in shown:
            self._starts.append(self._starts[-1] + len(token) + 1)

    def find(self, pattern: re.Pattern[str]) -> list[Hit]:
        """Every place the pattern stands, from left to right, none inside another."""
        from bisect import bisect_left

        hits, place = [], 0
        while found := pattern.search(self.text, place):
            start = bisect_left(self._starts, found.start())
            end = bisect_left(self._starts, found.end())
            hits.append(Hit(start, end))
            place = found.end()
        return hits

    def blank(self, hits: Iterable[Hit]) -> None:
        """Make little words of these, so that they say nothing and part nothing."""
        for hit in hits:
            for index in range(hit.start, hit.end):
                self.tokens[index] = "the"
        self._write()


class Finder:
    """Any of some phrases."""

    def __init__(self, phrases: Iterable[str], words: Words) -> None:
        sources = [_phrase(phrase, words, 0) for phrase in phrases]
        self._pattern = re.compile("|".join(sources) if sources else r"(?!)")

    def find(self, line: Line) -> list[Hit]:
        """Where any of the phrases stands in the line."""
        return line.find(self._pattern)


def vocabulary(phrases: Iterable[str], words: Words) -> frozenset[str]:
    """Every plain word that stands in the phrases and in the lists they may name."""
    every = [*phrases, *(item for items in words.values() for item in items)]
    return frozenset(
        word
        for phrase in every
        for word in re.findall(r"[^\W\d]\w*(?!\w|\*)", re.sub(r"\{[^}]*\}", " ", phrase))
    )


def _phrase(phrase: str, words: Words, depth: int) -> str:
    """The regular expression of a phrase; it begins at a space and ends before one."""
    if depth > 5:
        raise ValueError(f"{phrase!r}: `words` go round in a circle here")
    source, gap = "", " "
    for item in phrase.split():
        if item == "..":
            gap = _WIDE
            continue
        source += gap + _item(item, words, depth)
        gap = _GAP
    return source + "(?= )"


def _item(item: str, words: Words, depth: int) -> str:
    alternatives = []
    for part in item.split("|"):
        if part.startswith("{"):
            inner = (_phrase(entry, words, depth + 1) for entry in words[part[1:-1]])
            alternatives += [source.removeprefix(" ") for source in inner]
        else:
            alternatives.append(_word(part.casefold()))
    return f"(?:{'|'.join(alternatives)})"


def _word(word: str) -> str:
    if word.endswith("*"):
        return re.escape(word[:-1]) + r"[^ ]*"
    little = LITTLE if word in FILLERS else ""
    return re.escape(little + stem(word))
