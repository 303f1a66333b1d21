"""Marks a short answer by its rubric; what is neither clearly right nor clearly wrong goes to a person."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from grader.quiz.expressions.notation import Notation
from grader.quiz.questions.marked import Verdict, review
from grader.quiz.questions.rubric_model import Rubric, Wrong

from . import english
from .order import order
from .phrases import Finder, Hit, Line, vocabulary
from .polarity import dangling, polarity, reach
from .words import Reader, stem

__all__ = ["Marker"]

LONGEST = 250  # words; beyond that the chance that something else is said too is a person's to weigh
STRAY = 3  # words outside rubric and everyday English that a right answer may hold,
STRAY_SHARE = 0.4  # or this share of all its words
STRAY_PARTIAL = 0
ONLY = frozenset(("only",))  # beside a part of what is right it claims nothing more


@dataclass(frozen=True, slots=True)
class _Claims:
    """What an answer says, concept by concept and claim by claim."""

    affirmed: dict[str, list[Hit]]
    denied: frozenset[str]
    unclear: bool
    wrong: tuple[Wrong, ...]
    refused: frozenset[int]  # indices of the words of wrong claims that it denies


class Marker:
    """One rubric, compiled."""

    def __init__(self, rubric: Rubric, prompt: str, notation: Notation) -> None:
        words = rubric.words
        self._rubric = rubric
        phrases = (*rubric.phrases(), *english.DOUBTS)
        known = vocabulary(phrases, words)
        self._reader = Reader(known, notation)
        self._ignore = Finder(rubric.ignore, words)
        self._doubt = Finder((*rubric.doubt, *english.DOUBTS), words)
        self._said = {concept.id: Finder(concept.said, words) for concept in rubric.concepts}
        self._near = {concept.id: Finder(concept.near, words) for concept in rubric.concepts}
        self._clues = Finder(rubric.clues, words)
        self._wrong = tuple((wrong, Finder(wrong.said, words)) for wrong in rubric.wrong)
        everyday = (
            *english.COMMON,
            *english.FILLERS,
            *english.NEGATORS,
            *known,
            *self._reader.read(prompt).words,
        )
        self._expected = frozenset(stem(word) for word in everyday)
        beside = vocabulary(rubric.spelled_out(rubric.beside), {})
        self._harmless = frozenset(stem(word) for word in (*english.PLAIN, *english.NEGATORS, *beside))
        self._own = {
            concept.id: frozenset(stem(word) for word in vocabulary(rubric.spelled_out(concept.said), {}))
            for concept in rubric.concepts
        }

    def mark(self, text: str) -> Verdict:
        """The outcome of one answer, and why."""
        row = self._reader.read(text)
        if row.foreign:
            return review("it holds words of another script")
        if not any(word[0].isalnum() for word in row.words):
            return review("there is no word in it")
        if len(row.words) > LONGEST:
            return review(f"it is longer than {LONGEST} words")
        line = Line(row)
        line.blank(self._ignore.find(line))
        claims = self._claims(line)
        strays = self._strays(line.tokens)
        if self._doubt.find(line):
            return review("it is not sure of itself, or names several things")
        if claims.unclear:
            return review("it is not clear what is affirmed and what denied")
        size = sum(1 for token in line.tokens if token not in english.FILLERS and token[0].isalnum())
        return self._verdict(claims, strays, size, line)

    def _claims(self, line: Line) -> _Claims:
        said = {name: finder.find(line) for name, finder in self._said.items()}
        wrong = [(claim, finder.find(line)) for claim, finder in self._wrong]
        spans = [hit for hits in said.values() for hit in hits] + [hit for _, hits in wrong for hit in hits]
        inside = frozenset(
            index
            for hit in spans
            for index in range(hit.start, hit.end)
            if line.tokens[index] in english.NEGATORS
        )
        affirmed: dict[str, list[Hit]] = {}
        denied: set[str] = set()
        unclear = dangling(line.tokens, inside)
        for name, hits in said.items():
            kinds = [polarity(line.tokens, hit, inside) for hit in hits]
            unclear |= "unclear" in kinds
            if "affirmed" in kinds:
                affirmed[name] = [hit for hit, kind in zip(hits, kinds, strict=True) if kind == "affirmed"]
                unclear |= "denied" in kinds
            elif "denied" in kinds:
                denied.add(name)
        claimed: list[Wrong] = []
        refused: set[int] = set()
        for claim, hits in wrong:
            kinds = [polarity(line.tokens, hit, inside) for hit in hits]
            for hit, kind in zip(hits, kinds, strict=True):
                if kind == "denied":
                    refused.update(range(hit.start, hit.end))
            unclear |= "unclear" in kinds
            if "affirmed" in kinds:
                claimed.append(claim)
        return _Claims(affirmed, frozenset(denied), unclear, tuple(claimed), frozenset(refused))

    def _more(self, claims: _Claims, line: Line, also: frozenset[str] = frozenset()) -> str:
        """The first word of an answer that may claim more than what it rightly says; empty if there is none.

        Such is a word outside what is rightly said that is not known to bring no claim, and a "not" that denies
        anything but a wrong claim.
        """
        if not self._rubric.beside:
            return ""
        spans = [(name, hit) for name, hits in claims.affirmed.items() for hit in hits]
        said = {
            index
            for name, hit in spans
            for index in range(hit.start, hit.end)
            if line.tokens[index] in self._own[name]
        }
        harmless = self._harmless | also
        for index, token in enumerate(line.tokens):
            if index in said or index in claims.refused:
                continue
            if token in english.NEGATORS:
                if claims.refused.isdisjoint(range(index, reach(line.tokens, index))):
                    return token
            elif token[0].isalpha() and len(token) > 1 and token not in harmless:
                return token
        return ""

    def _strays(self, tokens: Sequence[str]) -> int:
        """How many words stand in no phrase of the rubric and are no everyday English."""
        return sum(
            1 for token in tokens if token[0].isalpha() and len(token) > 1 and token not in self._expected
        )

    def _verdict(self, claims: _Claims, strays: int, size: int, line: Line) -> Verdict:
        rubric = self._rubric
        missing = [concept for concept in rubric.concepts if concept.id not in claims.affirmed]
        if claims.wrong:
            return self._contradicted(claims, len(missing), line)
        if claims.denied:
            if claims.affirmed:
                return review("it denies a part of what is right")
            if strays > (STRAY if not rubric.beside else 0) or english.LIMITS & set(line.tokens):
                return review("it may deny what is right, or only say it in other words")
            names = [concept.says for concept in rubric.concepts if concept.id in claims.denied]
            return Verdict("incorrect", 0.0, f"It denies what is right: {'; '.join(names)}.")
        if not missing:
            return self._complete(claims, strays, size, line)
        if any(self._near[concept.id].find(line) for concept in missing):
            return review("it comes near something the rubric asks for")
        if claims.affirmed:
            if strays > STRAY_PARTIAL or not rubric.partial or self._more(claims, line, ONLY):
                return review("a part of it is right; the rest is for a person")
            lacking = "; ".join(concept.says for concept in missing)
            return Verdict("partial", 0.5, f"A part is right. Missing: {lacking}.")
        if rubric.otherwise == "incorrect" and strays <= rubric.unknown and not self._clues.find(line):
            asked = "; ".join(concept.says for concept in rubric.concepts)
            return Verdict("incorrect", 0.0, f"It does not say what was asked: {asked}.")
        return review("the rubric finds neither a right nor a wrong claim in it")

    def _contradicted(self, claims: _Claims, missing: int, line: Line) -> Verdict:
        first = claims.wrong[0]
        if self._rubric.beside and english.TURNING & set(line.tokens):
            return review("it says something wrong and turns from one thing to another")
        reverses = any(wrong.reverses for wrong in claims.wrong)
        if not missing and self._orders(claims, line) == {"wrong"}:
            return Verdict("incorrect", 0.0, "The order is the other way round.")
        if not claims.affirmed and (reverses or not any(finder.find(line) for finder in self._near.values())):
            return Verdict("incorrect", 0.0, first.says)
        if missing and reverses:
            return Verdict("incorrect", 0.0, first.says)
        return review("something right and something wrong stand side by side in it")

    def _orders(self, claims: _Claims, line: Line) -> set[str]:
        """How the concepts that have an order are put in order."""
        names = self._rubric.order
        return {
            order(line.tokens, claims.affirmed[earlier], claims.affirmed[later])
            for earlier, later in pairwise(names)
        }

    def _complete(self, claims: _Claims, strays: int, size: int, line: Line) -> Verdict:
        found = self._orders(claims, line)
        if "wrong" in found:
            return Verdict("incorrect", 0.0, "The order is the other way round.")
        if "unclear" in found:
            return review("the order is not clear")
        if strays > max(STRAY, STRAY_SHARE * size):
            return review("most of its words are none the rubric knows")
        if more := self._more(claims, line):
            return review(f"it says more than the rubric knows: {more}")
        return Verdict("correct", 1.0, "")
