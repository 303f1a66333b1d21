"""Whether a call left its inputs alone: what they are after it comes home, and is held against what was sent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from .answers import Answer, TensorValue, Value, read_answer, read_values
from .probes import Array, Probe

WIDEST = "float64"  # in which our own reference may compute whatever was asked


def answer_of(head: Mapping[str, object], probe: Probe) -> Answer:
    """An answer's frame as a record; which inputs have changed is seen here, not told by the guest."""
    answer = read_answer(head)
    if answer.outcome != "returned" or not probe.back:
        return answer
    after = read_values(head.get("after"))
    return replace(
        answer, changed=tuple(name for name in probe.back if not _same(probe, name, after.get(name)))
    )


def _same(probe: Probe, name: str, now: Value | None) -> bool:
    """Whether an input came back as it was sent; one that did not come back is not."""
    sent = probe.tensors[name]
    floating = sent.dtype == np.float64
    dtypes = {probe.dtype, WIDEST} if floating else {str(sent.dtype)}
    if not isinstance(now, TensorValue) or now.array is None or now.dtype not in dtypes:
        return False
    form = now.shape, now.device, now.type, now.requires_grad
    if form != (sent.shape, probe.device, "Tensor", name in probe.grads):
        return False
    return np.array_equal(_wide(now.array), _wide(_rounded(sent, now.dtype)), equal_nan=True)


def _rounded(sent: Array, dtype: str) -> Array:
    """An input as it is in a narrower dtype; what numpy has no dtype for holds the grid exactly."""
    return sent.astype(dtype) if dtype in ("float32", "float16") else sent


def _wide(array: Array) -> Array:
    return np.asarray(array, dtype=np.float64)
