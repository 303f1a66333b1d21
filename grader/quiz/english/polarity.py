"""Whether an answer affirms or denies what it mentions."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Literal

from .english import BREAKS, CONTRAST, FILLERS, NEGATORS, OBJECT_OF, REVERSED, SUBJECTS, word_set
from .phrases import Hit
from .words import stem

__all__ = ["Polarity", "dangling", "polarity", "reach"]

Polarity = Literal["affirmed", "denied", "unclear"]

SENTENCE = frozenset(".?")
TURNS = frozenset(
    (",", "but", "however", "instead", "rather", "whereas", "while", "because", "since", "yet", ")")
)
AUXILIARY = word_set("is are was were be been do does did should need must can will gets get has have")
SHORT = 5  # words from a "not" to a colon that speaks of what follows
BEHIND = 3  # words after a claim in which "is not needed" is looked for
LIST_REACH = 7  # words after a comma in which an "or" shows that the list under a "not" goes on
_REVERSED = frozenset(stem(word) for word in REVERSED)


def polarity(tokens: Sequence[str], hit: Hit, inside: Collection[int] = ()) -> Polarity:
    """How the claim at `hit` is meant; negators at the indices `inside` belong to phrases and are not counted."""
    start = _sentence_start(tokens, hit.start)
    before = [i for i in range(start, hit.start) if tokens[i] in NEGATORS and i not in inside]
    reaches = [reach(tokens, index) for index in before]
    count = sum(end > hit.start for end in reaches) + _denied_behind(tokens, hit, inside)
    if count:
        return "denied" if count == 1 else "unclear"
    for index, end in zip(before, reaches, strict=True):
        first = all(token in FILLERS for token in tokens[start:index])
        if (first or tokens[index] not in CONTRAST) and not TURNS & set(tokens[end : hit.start]):
            return "unclear"  # "I doubt that it ...": nothing turns the sentence back
    return "affirmed"


def dangling(tokens: Sequence[str], inside: Collection[int] = ()) -> bool:
    """Whether a "not" stands where it may turn a whole sentence round: at its end, or before a colon."""
    for index, token in enumerate(tokens):
        if token in NEGATORS and index not in inside:
            end = reach(tokens, index)
            if end == index + 1 and (end == len(tokens) or tokens[end] in SENTENCE):
                return True
            if end < len(tokens) and tokens[end] == ":" and end - index <= SHORT:
                return True  # "this is not so: ..."
    return False


def _sentence_start(tokens: Sequence[str], index: int) -> int:
    while index > 0 and tokens[index - 1] not in SENTENCE:
        index -= 1
    return index


def reach(tokens: Sequence[str], negator: int) -> int:
    """The index at which the clause denied by the negator ends."""
    contrast = tokens[negator] in CONTRAST
    for index in range(negator + 1, len(tokens)):
        token = tokens[index]
        if token == "," and _list_goes_on(tokens, index):
            continue
        if token in BREAKS or token in (")", "and_then") or (contrast and token == "and"):
            return index
        if token in SUBJECTS and index > negator + 1 and tokens[index - 1] not in OBJECT_OF:
            return index
        if token in NEGATORS and token not in ("nor", "no") and index > negator + 1 and contrast:
            return index
    return len(tokens)


def _list_goes_on(tokens: Sequence[str], comma: int) -> bool:
    """Whether the words after a comma are a further member of "not a, b or c"."""
    for index in range(comma + 1, min(comma + 1 + LIST_REACH, len(tokens))):
        if tokens[index] in ("or", "nor"):
            return True
        if tokens[index] in SENTENCE or tokens[index] in ("but", "it", "and_then", "and"):
            return False
    return False


def _denied_behind(tokens: Sequence[str], hit: Hit, inside: Collection[int]) -> int:
    """1 where the words right after the claim deny it: "is not used", "would be unnecessary"."""
    before = ""
    for index in range(hit.end, min(hit.end + BEHIND, len(tokens))):
        token = tokens[index]
        if token in _REVERSED:
            return 1
        if token in ("not", "never") and index not in inside:
            return int(before in AUXILIARY or (before == "" and index > hit.end))
        if token in BREAKS or token in ("and", "or", "and_then", "(", ")") or token in NEGATORS:
            return 0
        before = token
    return 0
