"""For a lesson's checks.py: `@criterion` claims a criterion of a step for a test function.

The test takes the fixture `cases`; `cases("tag")` lists the step's probes with that tag, each with the
learner's answer and the expected one. Its docstring's first line is the criterion's title. A check holds
no answer and no input, so it may be public. What it repeats of the learner's texts goes through `own`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from .core.own_words import own
from .judging.cases import Case, Finding, Select


def criterion(
    step: str, points: float, *, value: bool = False, testimony: bool = False
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Claim `points` of `step`; `value=True` marks a check of values, without which nothing else earns.

    `testimony=True` owns that a guest who bends its own process could pass it without what it asks for.
    """
    return pytest.mark.criterion(step=step, points=points, value=value, testimony=testimony)


__all__ = ["Case", "Finding", "Select", "criterion", "own"]
