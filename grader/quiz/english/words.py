"""An answer as a row of word stems, with its slips of the pen put right."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from grader.quiz.expressions.notation import Notation, plain

from . import english

__all__ = ["Reader", "Row", "stem"]

# From here on a slip is forgiven: one wrong, missing, doubled or swapped letter; in a long word, two.
ONE_SLIP, TWO_SLIPS = 4, 8
ENDINGS = ("s", "es", "ed", "d", "ing")  # of other forms of a word that the rubric names in one
BOUNDARIES = {";": ".", "!": ".", "\n": ".", "—": ",", ",": ",", ":": ":", ".": ".", "?": "?"}
_TOKEN = re.compile(r"[^\W\d_](?:[\w]|'(?=[a-z]))*|(?<![\w.])-?\d+(?:\.\d+)?|->|=>|[.,;:!?()+*@/=&\n<>]")
_AS_THEY_ARE = english.KEPT | english.FILLERS | english.NEGATORS | english.BREAKS | english.SEQUENCE
_CODE = frozenset(
    [
        "torch",
        "nn",
        "self",
        "f",
        "np",
        "tf",
        "keras",
        "layers",
        "functional",
        "modules",
        "activation",
        "numpy",
    ]
)


@functools.cache
def _stemmer() -> Any:
    import snowballstemmer

    return snowballstemmer.stemmer("english")


@functools.lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """The word without its endings (Porter's second stemmer, snowballstem.org); symbols stay as they are."""
    if "_" in word or word in _AS_THEY_ARE or not word.isalpha():
        return word
    if re.search(r"is(e|es|ed|ing|ation|ations)$", word) and len(word) > 8:
        word = re.sub(r"is(e|es|ed|ing|ation|ations)$", r"iz\1", word)  # British and American as one
    return str(_stemmer().stemWord(word))


@functools.cache
def _dictionary() -> frozenset[str]:
    """English words as such; pyspellchecker's list, from film subtitles, holds few slips."""
    from spellchecker import SpellChecker

    return frozenset(SpellChecker(language="en", distance=1).word_frequency.dictionary)


@dataclass(frozen=True, slots=True)
class Row:
    """The words of an answer.

    `stems` is what phrases are matched with; `words` the same as they were written (slips put right);
    `foreign` whether letters of another script than Latin or Greek stand in it.
    """

    words: tuple[str, ...]
    stems: tuple[str, ...]
    foreign: bool = False

    @property
    def line(self) -> str:
        """The stems as one line, a space before and after each."""
        return f" {' '.join(self.stems)} "


class Reader:
    """Reads answers with the words of one rubric in mind: only towards these a slip is put right."""

    def __init__(self, vocabulary: Iterable[str], notation: Notation) -> None:
        self._notation = notation
        words = {word for word in vocabulary if word.isalpha()}
        self._targets = tuple(sorted(word for word in words if len(word) >= ONE_SLIP))
        self._stems = frozenset(stem(word) for word in vocabulary) | {stem(word) for word in english.COMMON}
        self._cache: dict[str, str] = {}

    def read(self, text: str) -> Row:
        """The row of an answer's text."""
        words = self._split(self._notation.in_prose(plain(text)))
        words = [self._spelt(word) for word in words]
        return Row(tuple(words), tuple(stem(word) for word in words), _foreign(text))

    def _split(self, text: str) -> list[str]:
        for short, long in english.SHORT_FORMS:
            text = re.sub(short, long, text, flags=re.IGNORECASE)
        text = re.sub(r"(?<=\w)-(?=\w)", " ", text)
        text = re.sub(r"\.{2,}", " ", text)
        text = re.sub(r"\s*(?:->|=>|-->|>>|~>)\s*|\s+>\s+", " and_then ", text)
        text = re.sub(r"(?:^|\n)\s*(?:[-*]|\(?\d+[.)])\s+", "\n", text)
        text = re.sub(
            r"\b(" + "|".join(english.PREFIXES) + r")\s+(?=space|linear)", r"\1", text, flags=re.IGNORECASE
        )
        return [token for piece in _TOKEN.finditer(text) if (token := _token(piece, text))]

    def _spelt(self, word: str) -> str:
        """The word, or the one of the rubric's that was meant."""
        if not word.isalpha() or len(word) < ONE_SLIP or word in english.COMMON or stem(word) in self._stems:
            return word
        if word not in self._cache:
            self._cache[word] = self._nearest(word)
        return self._cache[word]

    def _nearest(self, word: str) -> str:
        from rapidfuzz import process
        from rapidfuzz.distance import OSA

        if len(word) > 30 or word in _dictionary():
            return word
        for ending in ("", *(ending for ending in ENDINGS if word.endswith(ending))):
            form = word.removesuffix(ending)
            if len(form) < ONE_SLIP:
                continue
            allowed = 2 if len(form) >= TWO_SLIPS else 1
            found = process.extractOne(form, self._targets, scorer=OSA.distance, score_cutoff=allowed)
            if found is not None and (found[1] < 2 or len(found[0]) >= TWO_SLIPS - 1):
                return str(found[0])
        return word


def _token(piece: re.Match[str], text: str) -> str:
    """What a piece of text is in the row: a word in lower case, a boundary, or a sign that is a word."""
    token = piece.group()
    if token == ".":
        after = text[piece.end() : piece.end() + 1]
        before = re.search(r"(\w+)$", text[: piece.start()][-20:])
        if after.isalpha() and (after.islower() or (before and before.group().casefold() in _CODE)):
            return ""  # a name in code: torch.nn
        return "."
    if token in BOUNDARIES:
        return BOUNDARIES[token]
    if token in "*@":
        return "times"
    token = re.sub(r"'(?:s|re|ll|ve|d|m)$", "", token.casefold())
    return {"&": "and", "/": ",", "=": ":", "<": "", ">": ""}.get(token, token)


def _foreign(text: str) -> bool:
    """Whether words of another script stand in the text; Greek letters are symbols."""
    import unicodedata

    if text.isascii():
        return False
    strange = sum(
        character.isalpha()
        and not unicodedata.name(character, "").startswith(
            ("LATIN", "GREEK", "MATHEM", "SUP", "SUB", "MODIFIER")
        )
        for character in plain(text)
    )
    return strange > 0
