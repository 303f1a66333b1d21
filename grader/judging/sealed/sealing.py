"""Values as plain data for a sealed file, and back; inputs on their grid take two bytes a number."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from grader.lesson.answers import FigureValue, OtherValue, SequenceValue, TensorValue, array_of, read_value
from grader.lesson.fingerprint import Expected, SealedTensor
from grader.lesson.lock import Lock
from grader.lesson.probes import GRID, Array, Probe, blob
from grader.worker.wire import Blob

PROBE_FIELDS = (
    "id",
    "step",
    "say",
    "dtype",
    "device",
    "tolerance",
    "why",
    "count",
    "again",
    "diagnose",
    "core",
    "of_dtype",
    "heavy",
)
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
            "lock": None if value.lock is None else [_bytes(value.lock.offsets), _bytes(value.lock.digest)],
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


def _bytes(data: bytes) -> Blob:
    return Blob("uint8", (len(data),), data)


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
            None if plain["lock"] is None else Lock(*(piece.data for piece in plain["lock"])),
        )
    if isinstance(plain, dict) and plain.get("$") in ("tuple", "list"):
        items: Any = tuple(read_plain_value(item) for item in plain["items"])
        return SequenceValue(str(plain["$"]), int(plain["length"]), items)
    return read_value(plain)
