"""What known mistakes answer to one probe: a column of answers, each different one kept once, read by itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.lesson.answers import OUTCOMES, Answer, Raised, array_of
from grader.lesson.fingerprint import seal
from grader.lesson.probes import Probe, blob
from grader.worker.wire import LENGTHS, Blob, WireError, lengths, pack, unpack

from .sealing import plain_value, read_plain_value

# Sums by which a known mistake's tensor is known again; four in five bytes of the file are these.
KNOWN_BY = 5
WORDS = 240  # characters of a crash, enough to know it again


class Column:
    """A column in the making; mistakes are added in the order of their rows."""

    def __init__(self, probe: Probe) -> None:
        self._probe = probe
        self._rows: list[int] = []
        self._numbers: dict[bytes, int] = {}

    def add(self, answer: Answer) -> None:
        """What the next mistake answers."""
        frame = pack(_plain_answer(self._probe, answer))
        self._rows.append(self._numbers.setdefault(frame, len(self._numbers)))

    def plain(self) -> dict[str, object]:
        """The column as plain data: each mistake's answer by its number, where each answer ends, the answers."""
        ends = np.cumsum([len(frame) for frame in self._numbers], dtype=np.int32)
        answers = b"".join(self._numbers)
        return {
            "rows": blob(np.array(self._rows, dtype=np.int32)),
            "ends": blob(ends),
            "answers": Blob("uint8", (len(answers),), answers),
        }


@dataclass(frozen=True, slots=True)
class KnownAnswers:
    """A column as it was read; its answers are still packed."""

    probe: str
    rows: NDArray[np.int32]
    ends: NDArray[np.int32]
    packed: bytes

    def number(self, row: int) -> int:
        """Which of the different answers a mistake gives."""
        return int(self.rows[row])

    def answer(self, number: int) -> Answer:
        """One of the different answers. Raises what damage raises."""
        start = int(self.ends[number - 1]) if number else 0
        frame = self.packed[start : self.ends[number]]
        head, _ = lengths(frame[: LENGTHS.size])
        plain = unpack(frame[LENGTHS.size : LENGTHS.size + head], frame[LENGTHS.size + head :])
        return _answer(self.probe, plain)


def read_column(plain: Mapping[str, Any], probe: str, mistakes: int) -> KnownAnswers:
    """A column in which each of so many mistakes has an answer. Raises what damage raises."""
    rows, ends = (_numbers(plain[name]) for name in ("rows", "ends"))
    packed = plain["answers"].data
    sizes = np.diff(ends, prepend=0)
    if rows.size != mistakes or (rows.size and not (rows.min() >= 0 and rows.max() < ends.size)):
        raise WireError("a mistake without an answer")
    if (sizes < LENGTHS.size).any() or int(sizes.sum()) != len(packed):
        raise WireError("answers that do not add up")
    return KnownAnswers(probe, rows, ends, packed)


def _numbers(piece: Blob) -> NDArray[np.int32]:
    if piece.dtype != "int32" or len(piece.shape) != 1:
        raise WireError("no row of numbers")
    return array_of(piece).astype(np.int32)


def _plain_answer(probe: Probe, answer: Answer) -> dict[str, object]:
    if answer.outcome != "returned":
        raised = answer.raised
        types, words = (list(raised.types), raised.message) if raised else ([], answer.message)
        return {"outcome": answer.outcome, "during": answer.during, "types": types, "words": words[:WORDS]}
    kept = {name: answer.values.get(name) for name in probe.report}
    values = {name: plain_value(seal(value, places=False, most=KNOWN_BY)) for name, value in kept.items()}
    return {"outcome": answer.outcome, "values": values, "changed": list(answer.changed)}


def _answer(probe: str, plain: Mapping[str, Any]) -> Answer:
    values: Any = {name: read_plain_value(value) for name, value in plain.get("values", {}).items()}
    outcome = OUTCOMES.get(plain["outcome"], "stopped")
    words = plain.get("words", "")
    raised = Raised(tuple(plain["types"]), words, ()) if outcome == "raised" else None
    during, changed = plain.get("during", ""), tuple(plain.get("changed", ()))
    return Answer(probe, outcome, values, raised, words, during, changed)
