"""An answer as it stands on a sheet, made into texts; what is blank or no answer at all is told apart."""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

__all__ = ["LONGEST", "Answer", "read_answer"]

LONGEST = 20_000  # characters; a longer text is for a person
MOST = 100  # parts of a list
_BLANK = re.compile(r"(?:[\W_]*|idk|i\s*d\s*k|n\s*/?\s*a|none|null|nil|i\s+(?:do\s*n[o']?t|dont)\s+know(?:\s+(?:this|it|that|yet))?|don'?t\s+know|dunno|no\s+(?:idea|clue|answer)|skip(?:ped)?|pass|blank|\?+|tbd|todo)[\s.!]*", re.IGNORECASE)  # fmt: skip  # noqa: E501


@dataclass(frozen=True, slots=True)
class Answer:
    """The parts of an answer as text, in order; `problem` says why it can only be read by a person."""

    parts: tuple[str, ...]
    listed: bool = False
    problem: str = ""

    @property
    def blank(self) -> bool:
        """Whether nothing was answered."""
        return not self.parts and not self.problem

    @property
    def text(self) -> str:
        """The answer as one text."""
        return "; ".join(self.parts)


def read_answer(value: object) -> Answer:
    """The answer that a sheet holds for one question."""
    if isinstance(value, list | tuple):
        return _listed(value)
    text, problem = _text(value)
    if problem:
        return Answer((text,), problem=problem)
    return Answer(() if _is_blank(text) else (text.strip(),))


def _listed(values: Sequence[object]) -> Answer:
    if len(values) > MOST:
        return Answer((f"a list of {len(values)}",), True, f"it is a list of {len(values)} parts")
    read = [_text(value) for value in values]
    problem = next((problem for _, problem in read if problem), "")
    parts = tuple(text.strip() for text, _ in read)
    if not problem and sum(map(len, parts)) > LONGEST:
        problem = f"it is longer than {LONGEST:,} characters"
    if not problem and all(_is_blank(text) for text in parts):
        return Answer((), True)
    return Answer(parts, True, problem)


def _text(value: object) -> tuple[str, str]:  # noqa: C901  (a table of what YAML can hold)
    """A scalar as its author wrote it, and what is wrong with it."""
    match value:
        case None:
            return "", ""
        case bool():
            return str(value).lower(), ""
        case int():
            return (
                (f"{value:d}", "") if abs(value) < 10**40 else ("a number", "the number is too large to read")
            )
        case float():
            if not math.isfinite(value):
                return str(value), "it is no number"
            return (f"{value:g}" if value == float(f"{value:g}") else repr(value)), ""
        case str():
            if len(value) > LONGEST:
                return value[:LONGEST], f"it is longer than {LONGEST:,} characters"
            return value, ""
        case datetime.date():
            return value.isoformat(), "it was read as a date; put such an answer in quotes"
        case Mapping():
            return "a mapping", "it is a mapping, not a text, number or list"
        case list() | tuple():
            return "a list in a list", "it is a list in a list"
        case _:
            return "something else", f"it is a {type(value).__name__}"


def _is_blank(text: str) -> bool:
    flat = text.strip()
    return not flat or (not re.search(r"[✓✔☑✗✘☒]", flat) and _BLANK.fullmatch(flat) is not None)
