"""The record of one graded submission, version 1: what `--json` writes and every report reads."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from .escape import json_quiet

REFERENCE, SEALED = (
    "the reference",
    "sealed answers",
)  # an environment's `standard`: what answers were held against
CheckStatus = Literal["passed", "failed", "not_reached", "broken"]
StepStatus = Literal["passed", "partial", "failed", "not_attempted", "not_reached", "broken"]


class Frozen(BaseModel):
    """A value: never changed once made, unknown fields refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class CheckRecord(Frozen):
    """One criterion of a step, and what became of it."""

    id: str
    title: str
    status: CheckStatus
    points: float
    max_points: float
    message: str = ""


class MistakeRecord(Frozen):
    """A known mistake whose answers are the learner's answers on every probe."""

    id: str
    title: str
    message: str
    hint: str


class StepRecord(Frozen):
    """One step: its points, its checks, and what to say about it.

    `note` explains the status (why it is not attempted, which limit was exceeded, which neighbour's mistake was
    carried forward) or, line by line, what is true of wrong answers that no known mistake explains; `advice`
    costs nothing; `review` is for a person.
    """

    id: str
    title: str
    status: StepStatus
    score: float
    max_score: float
    checks: tuple[CheckRecord, ...]
    review: tuple[str, ...] = ()
    mistakes: tuple[MistakeRecord, ...] = ()
    note: str = ""
    advice: tuple[str, ...] = ()
    hint: str = ""
    prints: str = ""


class SubmissionRecord(Frozen):
    """What was graded: a name to show and the digest of its content."""

    name: str
    sha256: str


class Record(Frozen):
    """One graded submission."""

    version: Literal[1] = 1
    lesson: str
    submission: SubmissionRecord
    score: float
    max_score: float
    seed: int
    steps: tuple[StepRecord, ...]
    environment: dict[str, str | int | float | bool]
    warnings: tuple[str, ...] = ()
    seconds: float = Field(ge=0)

    def to_json(self) -> str:
        """The record as JSON text: numbers rounded to 4 decimals, a newline at the end."""
        import json

        text = json.dumps(_rounded(self.model_dump()), ensure_ascii=False, indent=2, allow_nan=False)
        return json_quiet(text) + "\n"


def _rounded(value: object) -> object:
    if isinstance(value, float):
        return round(value, 4)
    if isinstance(value, dict):
        return {key: _rounded(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(item) for item in value]
    return value
