"""Values as plain data for a sealed file, and back; inputs on their grid take two bytes a number."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .hidden import Expected, SealedTensor, seal
from .probes import GRID, Array, Probe, blob
from .transcript import (
    OUTCOMES,
    Answer,
    FigureValue,
    OtherValue,
    Raised,
    SequenceValue,
    TensorValue,
    array_of,
    read_value,
)
from .worker.wire import Blob, WireError

PROBE_FIELDS = (
    "id",
    "step",
    "say",
    "dtype",
    "device",
    "tolerance",
    "why",
    "watch",
    "count",
    "again",
    "diagnose",
    "core",
)
KNOWN_BY = 8  # sums by which a known mistake's tensor is known again
WORDS = 240  # characters of a crash, enough to know it again
SETS = ("tags", "grads", "strided")


def plain_probe(probe: Probe) -> dict[str, object]:
    """A probe as plain data."""
    return {
        **{name: getattr(probe, name) for name in PROBE_FIELDS},
        **{name: sorted(getattr(probe, name)) for name in SETS},
        "names": list(probe.names),
        "script": [dict(step) for step in probe.script],
        "report": list(probe.report),
        "axes": {name: list(axes) for name, axes in probe.axes.items()},
        "sizes": dict(probe.sizes),
        "tensors": {name: _input(array) for name, array in probe.tensors.items()},
    }


def read_probe(plain: Mapping[str, Any]) -> Probe:
    """A probe from plain data."""
    sets: dict[str, Any] = {name: frozenset(plain[name]) for name in SETS}
    return Probe(
        **{name: plain[name] for name in PROBE_FIELDS},
        **sets,
        names=tuple(plain["names"]),
        script=tuple(plain["script"]),
        report=tuple(plain["report"]),
        axes={name: tuple(axes) for name, axes in plain["axes"].items()},
        sizes=dict(plain["sizes"]),
        tensors={name: _read_input(item) for name, item in plain["tensors"].items()},
    )


def _input(array: Array) -> object:
    """An input; what lies on the grid is sent as whole numbers."""
    if array.dtype == np.float64:
        steps = array * GRID
        if np.array_equal(steps, np.round(steps)) and np.abs(steps).max(initial=0.0) < 2**15:
            return {"grid": blob(steps.astype(np.int16))}
    return {"raw": blob(array)}


def _read_input(item: Mapping[str, Blob]) -> Array:
    if "grid" in item:
        return array_of(item["grid"]).astype(np.float64) / GRID
    return array_of(item["raw"]).copy()


def plain_value(value: Expected) -> object:
    """A value (sealed or not) as plain data, in the words of the guest's side where those have one."""
    if isinstance(value, SealedTensor):
        # float32 is enough to name an answer; the expected ones, which have slices, keep float64.
        kind = np.float64 if value.slices or not value.shape else np.float32
        return {
            "$": "sealed",
            "dtype": value.dtype,
            "shape": list(value.shape),
            "device": value.device,
            "largest": value.largest,
            "odd": value.odd,
            "sums": blob(value.sums.astype(kind)),
            "slices": [blob(item) for item in value.slices],
        }
    if isinstance(value, TensorValue):
        facts = {"dtype": value.dtype, "shape": list(value.shape), "device": value.device, "type": value.type}
        return {"$": "tensor", **facts, "requires_grad": value.requires_grad}
    if isinstance(value, SequenceValue):
        return {"$": value.kind, "length": value.length, "items": [plain_value(item) for item in value.items]}
    if isinstance(value, FigureValue):
        return {"$": "figure", "axes": [dict(axes) for axes in value.axes]}
    if isinstance(value, OtherValue):
        return {"$": "other", "type": value.type, "say": value.say}
    return value


def read_plain_value(plain: object) -> Expected:
    """A value from plain data."""
    if isinstance(plain, dict) and plain.get("$") == "sealed":
        return SealedTensor(
            plain["dtype"],
            tuple(plain["shape"]),
            plain["device"],
            float(plain["largest"]),
            array_of(plain["sums"]).astype(np.float64),
            tuple(array_of(item).astype(np.float64) for item in plain["slices"]),
            plain["odd"],
        )
    if isinstance(plain, dict) and plain.get("$") in ("tuple", "list"):
        items: Any = tuple(read_plain_value(item) for item in plain["items"])
        return SequenceValue(str(plain["$"]), int(plain["length"]), items)
    return read_value(plain)


class Rows:
    """A step's table in the making: what each mistake answers, every different answer of a probe kept once."""

    def __init__(self, probes: Sequence[Probe]) -> None:
        self._mistakes: list[str] = []
        self._columns = [_Column(probe) for probe in probes]

    def add(self, answers: Mapping[str, Mapping[str, Answer]]) -> None:
        """Take in what more mistakes have answered."""
        self._mistakes += answers
        for column in self._columns:
            column.rows += [column.number(found[column.probe.id]) for found in answers.values()]

    def plain(self) -> dict[str, object]:
        """The table as plain data."""
        columns = [{"probe": c.probe.id, "answers": c.kept, "rows": c.rows} for c in self._columns]
        return {"mistakes": self._mistakes, "columns": columns}


class _Column:
    """The answers to one probe."""

    def __init__(self, probe: Probe) -> None:
        self.probe = probe
        self.kept: list[object] = []
        self.rows: list[int] = []
        self._numbers: dict[str, int] = {}

    def number(self, answer: Answer) -> int:
        """The place of an answer among those that are kept."""
        plain = _plain_answer(self.probe, answer)
        key = json.dumps(plain, default=_bytes, sort_keys=True)
        if key not in self._numbers:
            self._numbers[key] = len(self.kept)
            self.kept.append(plain)
        return self._numbers[key]


def _bytes(value: object) -> object:
    return [value.dtype, value.shape, value.data.hex()] if isinstance(value, Blob) else repr(value)


def _plain_answer(probe: Probe, answer: Answer) -> dict[str, object]:
    if answer.outcome != "returned":
        raised = answer.raised
        types, words = (list(raised.types), raised.message) if raised else ([], answer.message)
        return {"outcome": answer.outcome, "types": types, "words": words[:WORDS]}
    kept = {name: answer.values.get(name) for name in probe.report}
    values = {name: plain_value(seal(value, places=False, most=KNOWN_BY)) for name, value in kept.items()}
    return {"outcome": answer.outcome, "values": values, "changed": list(answer.changed)}


@dataclass(frozen=True, slots=True)
class Table:
    """What the known mistakes of one step answer: by probe the different answers, and by name each one's."""

    rows: Mapping[str, int]
    answers: Mapping[str, Sequence[Answer]]
    which: Mapping[str, Sequence[int]]

    def of(self, name: str, probe: Probe) -> Answer:
        """A mistake's answer."""
        return self.answers[probe.id][self.which[probe.id][self.rows[name]]]


def read_table(plain: Mapping[str, Any], asked: Sequence[Probe]) -> Table:
    """A step's table, in which every mistake answers every probe it is known by. Raises what damage raises."""
    columns = {column["probe"]: column for column in plain["columns"]}
    rows = {name: place for place, name in enumerate(plain["mistakes"])}
    for name, place in list(rows.items()):
        for home in plain["homes"] if ":" not in name else ():
            rows.setdefault(f"{home}:{name}", place)
    answers = {probe.id: [_answer(probe.id, one) for one in columns[probe.id]["answers"]] for probe in asked}
    which = {probe.id: columns[probe.id]["rows"] for probe in asked}
    for key, numbers in which.items():
        if len(numbers) != len(plain["mistakes"]) or not all(0 <= n < len(answers[key]) for n in numbers):
            raise WireError("a mistake without an answer")
    return Table(rows, answers, which)


def _answer(probe: str, plain: Mapping[str, Any]) -> Answer:
    values: Any = {name: read_plain_value(value) for name, value in plain.get("values", {}).items()}
    outcome = OUTCOMES.get(plain["outcome"], "stopped")
    words = plain.get("words", "")
    raised = Raised(tuple(plain["types"]), words, ()) if outcome == "raised" else None
    return Answer(probe, outcome, values, raised, words, changed=tuple(plain.get("changed", ())))
