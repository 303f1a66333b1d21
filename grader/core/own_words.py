"""How many numbers the learner's own words may carry into a record, where the inputs are hidden.

What a learner's code raises and prints may hold the inputs it was asked with, for whoever is asked with the same
ones later. Where such words enter a sentence they are marked, and the record's last step counts what is marked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .records import Record, StepRecord

# Private-use characters: no text of a submission holds them, since they are written out where it is read.
BEGIN, END = "\ue000", "\ue001"
PLACEHOLDER = "[number]"
ALLOWED = 8  # numbers in all the learner's own words of one record
SMALL = 4  # whole numbers of at most two digits, such as sizes, that weigh as much as one other number
NUMBER = re.compile(r"\.?\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?|[^\x00-\x7f]")
MARK = re.compile(f"([{BEGIN}{END}])")
SEVERAL = re.compile(rf"{re.escape(PLACEHOLDER)}(?:[^\w\n]{{0,4}}{re.escape(PLACEHOLDER)})+")
LONGEST = 500  # characters of a message, which placeholders make no longer
SAID = (
    f"the inputs are hidden here, so what your code says itself may carry few numbers: further ones are shown as "
    f"{PLACEHOLDER}; to see them, print them on your own machine"
)


def own(words: str) -> str:
    """Words that the learner's code has chosen, marked as such."""
    return f"{BEGIN}{words}{END}"


def unmarked(text: str) -> str:
    """The text without marks."""
    return MARK.sub("", text)


def spared(record: Record, hidden: bool) -> Record:
    """The record without marks; of `hidden` inputs the learner's own words carry few numbers, messages first."""
    purse = _Purse(ALLOWED * SMALL if hidden else None)
    steps = [_messages(step, purse) for step in record.steps]
    warnings = [purse.spend(text) for text in record.warnings]
    steps = [step.model_copy(update={"prints": purse.spend(own(step.prints))}) for step in steps]
    said = (SAID,) if purse.refused else ()
    return record.model_copy(update={"steps": tuple(steps), "warnings": (*warnings, *said)})


def _messages(step: StepRecord, purse: _Purse) -> StepRecord:
    checks = [
        check.model_copy(update={"message": purse.spend(check.message)}) if check.message else check
        for check in step.checks
    ]
    return step.model_copy(
        update={
            "note": purse.spend(step.note),
            "checks": tuple(checks),
            "advice": tuple(map(purse.spend, step.advice)),
            "review": tuple(map(purse.spend, step.review)),
        }
    )


class _Purse:
    """What may still be spent on numbers, in quarters of one; None: as much as anybody likes."""

    def __init__(self, left: int | None) -> None:
        self.left = left
        self.refused = False
        self._told: dict[str, str] = {}

    def spend(self, text: str) -> str:
        """The text without marks, and without the numbers in marked words that there is no room for."""
        if self.left is None:
            return unmarked(text)
        told = "".join(self._words(piece) if inside else piece for piece, inside in _pieces(text))
        longest = max(LONGEST, len(unmarked(text)))
        return told if len(told) <= longest else told[: longest - 1] + "…"

    def _words(self, words: str) -> str:
        """The same words again cost nothing: most checks of a step fail by the same exception."""
        if words not in self._told:
            self._told[words] = SEVERAL.sub(f"{PLACEHOLDER} …", NUMBER.sub(self._number, words))
        return self._told[words]

    def _number(self, found: re.Match[str]) -> str:
        assert self.left is not None
        text = found.group()
        if not text[-1].isnumeric():
            return text
        cost = 1 if text.isdecimal() and len(text) < 3 else SMALL
        if cost > self.left:
            self.refused = True
            return PLACEHOLDER
        self.left -= cost
        return text


def _pieces(text: str) -> Iterator[tuple[str, bool]]:
    """The pieces of a text between its marks, each with whether it is marked; a cut text may lack its last mark."""
    depth = 0
    for piece in MARK.split(text):
        if piece == BEGIN:
            depth += 1
        elif piece == END:
            depth = max(0, depth - 1)
        else:
            yield piece, depth > 0
