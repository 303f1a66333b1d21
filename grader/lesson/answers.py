"""Answers that came home: decoded, bounded, plain. Learner, solution and known mistakes all give one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeGuard

import numpy as np
from numpy.typing import NDArray

from grader.core.text import printable
from grader.worker.wire import ITEM_SIZE, Blob

SIDES = 64  # axes of one tensor
LARGEST = 2**63  # no size of a tensor, no line of a file, no count reaches it
ROWS = 64  # lines of a traceback, names of values, cells passed over

Outcome = Literal["returned", "unfit", "absent", "raised", "stopped", "broken"]
OUTCOMES: Mapping[str, Outcome] = {
    "returned": "returned",
    "unfit": "unfit",
    "absent": "absent",
    "raised": "raised",
}


@dataclass(frozen=True, slots=True)
class TensorValue:
    """A tensor as it came: torch's dtype name, shape, device; `array` is None on a device without data."""

    dtype: str
    shape: tuple[int, ...]
    device: str
    type: str
    array: NDArray[np.generic] | None
    requires_grad: bool = False


@dataclass(frozen=True, slots=True)
class SequenceValue:
    """A tuple or list."""

    kind: str
    length: int
    items: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class FigureValue:
    """A matplotlib figure, told by its axes (fields as in `grader/worker/figure.py`)."""

    axes: tuple[Mapping[str, object], ...]


@dataclass(frozen=True, slots=True)
class OtherValue:
    """Anything else, in words."""

    type: str
    say: str


Value = None | bool | int | float | str | TensorValue | SequenceValue | FigureValue | OtherValue


@dataclass(frozen=True, slots=True)
class Line:
    """One of the learner's own lines in a traceback."""

    path: str
    number: int
    function: str
    text: str


@dataclass(frozen=True, slots=True)
class Raised:
    """An exception: its class names (nearest first), its words, the learner's own lines in it."""

    types: tuple[str, ...]
    message: str
    lines: tuple[Line, ...]

    @property
    def name(self) -> str:
        """The class's own name."""
        return self.types[0] if self.types else "Exception"


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of one probe."""

    probe: str
    outcome: Outcome
    values: Mapping[str, Value] = field(default_factory=dict)
    raised: Raised | None = None
    message: str = ""
    during: str = ""
    changed: tuple[str, ...] = ()
    used: tuple[str, ...] = ()
    operations: int | None = None
    renamed: tuple[tuple[str, str], ...] = ()  # the learner's name for a weight, and the one asked for


@dataclass(frozen=True, slots=True)
class Loading:
    """What came of importing a step's file: names found, other names seen, the error if any."""

    found: tuple[str, ...] = ()
    seen: tuple[str, ...] = ()
    error: Raised | None = None
    passed_over: tuple[tuple[str, Raised], ...] = ()
    stopped: str = ""
    fault: str = ""  # why it could not be asked at all: never the submission's


@dataclass(frozen=True, slots=True)
class Transcript:
    """All that came home from one run: loadings by step, answers by probe, prints by step."""

    loadings: Mapping[str, Loading]
    answers: Mapping[str, Answer]
    again: Mapping[str, Answer] = field(default_factory=dict)
    prints: Mapping[str, str] = field(default_factory=dict)


def read_answer(head: Mapping[str, object]) -> Answer:
    """An answer's frame as a record; odd fields become plain ones, nothing is trusted."""
    values = head.get("values")
    error = head.get("error")
    operations = head.get("operations")
    return Answer(
        probe=_text(head.get("probe"), 200),
        outcome=OUTCOMES.get(str(head.get("outcome")), "unfit"),
        values=read_values(values),
        raised=read_raised(error) if isinstance(error, dict) else None,
        message=_text(head.get("message"), 1_000),
        during=_text(head.get("during"), 100),
        used=_texts(head.get("used")),
        operations=operations if _is_count(operations) else None,
        renamed=_pairs(head.get("renamed")),
    )


def read_loading(head: Mapping[str, object]) -> Loading:
    """A loading's frame as a record."""
    error, passed = head.get("error"), head.get("passed_over")
    over = (
        [pair for pair in passed if isinstance(pair, list) and len(pair) == 2]
        if isinstance(passed, list)
        else []
    )
    return Loading(
        found=_texts(head.get("found")),
        seen=_texts(head.get("seen")),
        error=read_raised(error) if isinstance(error, dict) else None,
        passed_over=tuple(
            (_text(label, 100), read_raised(what)) for label, what in over[:ROWS] if isinstance(what, dict)
        ),
    )


def read_value(value: object, depth: int = 0) -> Value:
    """One described value as a record."""
    if value is None or isinstance(value, bool | float):
        return value
    if isinstance(value, int):
        return value if abs(value) < LARGEST else OtherValue("int", "an int of over 63 bits")
    if isinstance(value, str):
        return _text(value, 2_000)
    if not isinstance(value, dict) or depth > 5:
        return OtherValue("unknown", "something that cannot be read")
    kind = value.get("$")
    if kind == "tensor":
        return _tensor(value)
    if kind in ("tuple", "list"):
        items, length = value.get("items"), value.get("length")
        plain = tuple(read_value(item, depth + 1) for item in items) if isinstance(items, list) else ()
        return SequenceValue(str(kind), length if _is_count(length) else len(plain), plain)
    if kind == "figure":
        axes = value.get("axes")
        return FigureValue(
            tuple(item for item in axes if isinstance(item, dict)) if isinstance(axes, list) else ()
        )
    return OtherValue(_text(value.get("type"), 200), _text(value.get("say"), 300))


def array_of(piece: Blob) -> NDArray[np.generic]:
    """A wire tensor as an array of its own; bfloat16, which numpy lacks, becomes float32 exactly."""
    if piece.dtype == "bfloat16":
        wide = np.frombuffer(piece.data, dtype="<u2").astype(np.uint32) << 16
        return wide.view(np.float32).reshape(piece.shape)
    if piece.dtype == "bool":  # any byte may come; numpy's own booleans are 0 and 1 alone
        told = np.frombuffer(piece.data, dtype=np.uint8).reshape(piece.shape)
        return np.not_equal(told, np.uint8(0))
    native = np.dtype(piece.dtype)
    return np.frombuffer(piece.data, dtype=native.newbyteorder("<")).astype(native).reshape(piece.shape)


def read_raised(error: Mapping[str, object]) -> Raised:
    """A described exception as a record."""
    lines = error.get("lines")
    rows = [line for line in (lines if isinstance(lines, list) else []) if _is_line(line)]
    found = [
        Line(_text(path, 200), number, _text(name, 100), _text(text, 200))
        for path, number, name, text in rows[:ROWS]
    ]
    return Raised(_texts(error.get("types")), _text(error.get("message"), 1_000), tuple(found))


def _is_line(line: object) -> bool:
    return isinstance(line, list) and len(line) == 4 and _is_count(line[1])


def _is_count(value: object) -> TypeGuard[int]:
    """Whether it is a whole number as sizes and counts are; True and False are none."""
    return type(value) is int and 0 <= value < LARGEST


def read_values(told: object) -> dict[str, Value]:
    """Described values by name."""
    rows = list(told.items())[:ROWS] if isinstance(told, dict) else []
    return {_text(name, 100): read_value(value) for name, value in rows}


def _tensor(value: Mapping[str, object]) -> Value:
    shape, dtype, piece = value.get("shape"), value.get("dtype"), value.get("blob")
    plain = isinstance(shape, list) and len(shape) <= SIDES and all(map(_is_count, shape))
    if not plain or not isinstance(shape, list) or not isinstance(dtype, str) or dtype not in ITEM_SIZE:
        return OtherValue("unknown", "a tensor that cannot be read")
    fits = isinstance(piece, Blob) and list(piece.shape) == shape and piece.dtype == dtype
    if value.get("large") or (piece is not None and not fits):
        return OtherValue("Tensor", f"a tensor of shape {tuple(shape)}, too large to be compared")
    array = array_of(piece) if isinstance(piece, Blob) else None
    device, kind = _text(value.get("device"), 20), _text(value.get("type"), 200)
    return TensorValue(dtype, tuple(shape), device, kind, array, value.get("requires_grad") is True)


def _text(value: object, limit: int) -> str:
    return printable(value, limit, keep_lines=True) if isinstance(value, str) else ""


def _pairs(values: object) -> tuple[tuple[str, str], ...]:
    pairs = [_texts(pair) for pair in values[:ROWS]] if isinstance(values, list) else []
    return tuple((pair[0], pair[1]) for pair in pairs if len(pair) == 2)


def _texts(values: object) -> tuple[str, ...]:
    return tuple(_text(item, 200) for item in values[:64]) if isinstance(values, list) else ()
