"""Probes and answers made by hand, for tests of the judging side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from grader.lesson.answers import Answer, Line, Raised, TensorValue, Value
from grader.lesson.probes import Probe

AXES = {"y": ("B", "h", "T", "d_k"), "d_x": ("B", "T", "d_model")}


def probe(name: str = "add/plain", **fields: Any) -> Probe:
    """A probe of the step `add` that reports `y`."""
    given: dict[str, Any] = {
        "step": "add",
        "tags": frozenset({"values"}),
        "say": "B=2, T=3",
        "tensors": {},
        "script": ({"op": "call", "of": {"name": "add"}, "args": [], "kwargs": {}, "to": "y"},),
        "report": ("y",),
        "axes": AXES,
        "sizes": {"B": 2, "T": 3},
    }
    return Probe(id=name, **{**given, **fields})


def tensor(values: object, dtype: str = "float64", device: str = "cpu") -> TensorValue:
    """A tensor that came home."""
    array = np.asarray(values, dtype=np.float64)
    return TensorValue(dtype, array.shape, device, "Tensor", array)


def returned(asked: Probe, changed: Sequence[str] = (), **values: Value) -> Answer:
    """An answer that came to its end with these values."""
    return Answer(asked.id, "returned", values, changed=tuple(changed))


def raising(
    asked: Probe, *types: str, message: str = "", line: Line | None = None, during: str = "call add"
) -> Answer:
    """An answer that ended in an exception."""
    error = Raised(types, message, () if line is None else (line,))
    return Answer(asked.id, "raised", raised=error, during=during)
