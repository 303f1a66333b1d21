"""How far an answer may be from the expected one: a tolerance for each dtype, and why it has its size."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from grader.lesson.probes import Probe


@dataclass(frozen=True, slots=True)
class Precision:
    """Relative error allowed for one operation's result in a dtype, and why."""

    error: float
    why: str


PRECISIONS: Mapping[str, Precision] = {
    "float64": Precision(
        32 * 2.0**-23, "a softmax inside float32 is a right style, so float32's rounding is allowed"
    ),
    "float32": Precision(
        256 * 2.0**-23, "measured: right styles differ by up to 3e-5 in values and gradients"
    ),
    "bfloat16": Precision(
        4 * 2.0**-7, "8 bits a number; projections, scores, weights and sum each round once"
    ),
    "float16": Precision(
        8 * 2.0**-10, "11 bits a number; projections, scores, weights and sum each round once"
    ),
}


@dataclass(frozen=True, slots=True)
class Tolerance:
    """An absolute tolerance for one value, with the reason it has this size."""

    absolute: float
    why: str


def tolerance(probe: Probe, largest: float) -> Tolerance:
    """The tolerance for a value of this probe whose largest expected magnitude is `largest`.

    Rounding errors of a sum of n terms grow like sqrt(n); n is the probe's longest axis.
    """
    scale = max(1.0, largest)
    if probe.tolerance is not None:
        return Tolerance(probe.tolerance * scale, probe.why)
    precision = PRECISIONS[probe.dtype]
    longest = max(probe.sizes.values(), default=1)
    return Tolerance(precision.error * math.sqrt(longest) * scale, precision.why)
