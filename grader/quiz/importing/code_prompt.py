"""The code at the end of a question's text, when the text is one about code."""

from __future__ import annotations

import re

from grader.quiz.expressions.arithmetic import written

from .found import Fields, Found

__all__ = ["as_code"]

FENCE = re.compile(r"\n*(`{3,})[\w+-]*\n(.*)\n\1\s*$", re.DOTALL)
NUMBERED = re.compile(r"^ *([0-9]{1,6})(?:  (.*))?$")


def as_code(found: Found, made: Fields, ask: str) -> Fields:
    """The fields as a reading of the code that ends the prompt; as they are where no code does."""
    fence = FENCE.search(found.prompt)
    if fence is None:
        if ask == "choice":
            return made
        raise ValueError("it asks about code, and there is none at the end of its text")
    found.prompt = found.prompt[: fence.start()]
    return {**made, "kind": "code_reading", "ask": ask, "code": _unnumbered(fence.group(2)) + "\n"}


def _unnumbered(code: str) -> str:
    lines = [NUMBERED.match(line) for line in code.split("\n")]
    numbers_there = [int(written(line.group(1))) for line in lines if line]
    if numbers_there != list(range(1, len(lines) + 1)):
        return code
    return "\n".join(line.group(2) or "" for line in lines if line)
