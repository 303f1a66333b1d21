"""A question as one learner sees it: numbers chosen, texts filled in, options in the order shown, key included."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

from grader.quiz.questions.rubric_model import Rubric, Signs

__all__ = [
    "Drawn",
    "DrawnBlank",
    "DrawnChoice",
    "DrawnCode",
    "DrawnFill",
    "DrawnMatching",
    "DrawnNumeric",
    "DrawnOption",
    "DrawnOrdering",
    "DrawnPart",
    "DrawnQuestion",
    "DrawnShape",
    "DrawnShapeTrap",
    "DrawnShort",
    "DrawnTrap",
    "DrawnTrueFalse",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnQuestion:
    """What every drawn question says; `variant` numbers the draw, `values` are its parameters as shown."""

    id: str
    objective: str
    difficulty: Literal["easy", "medium", "hard"]
    points: float
    step: str | None
    tags: tuple[str, ...]
    prompt: str
    explanation: str
    variant: int = 0
    values: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnPart:
    """One lettered thing; `place` counts from 0 in the bank's order, whatever order is shown."""

    letter: str
    place: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnOption(DrawnPart):
    """One option of a choice, in the order shown."""

    correct: bool
    feedback: str | None = None
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnTrap:
    """A wrong number that is worth a word."""

    answer: Fraction
    feedback: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnShapeTrap:
    """A wrong shape that is worth a word."""

    answer: tuple[str, ...]
    feedback: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnBlank:
    """One blank and every text that fills it rightly, the usual one first."""

    accept: tuple[str, ...]
    feedback: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnTrueFalse(DrawnQuestion):
    """A statement, whether it holds, what to say to each answer, and what an explanation gives away."""

    kind: Literal["true_false"] = "true_false"
    answer: bool
    feedback: Mapping[bool, str]
    signs: Signs | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnChoice(DrawnQuestion):
    """Options to choose from, in the order shown."""

    kind: Literal["multiple_choice"] = "multiple_choice"
    select: Literal["one", "many"]
    partial: Literal["none", "each"]
    options: tuple[DrawnOption, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnShort(DrawnQuestion):
    """A sentence to be written, its rubric and a model answer."""

    kind: Literal["short_answer"] = "short_answer"
    rubric: Rubric
    model: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnNumeric(DrawnQuestion):
    """A number, exact, and how far an answer may be off."""

    kind: Literal["numeric"] = "numeric"
    answer: Fraction
    absolute: float
    relative: float
    unit: str | None
    units: tuple[str, ...]
    traps: tuple[DrawnTrap, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnOrdering(DrawnQuestion):
    """Items in the order shown; in the right order their `place` counts up from 0."""

    kind: Literal["ordering"] = "ordering"
    partial: Literal["none", "adjacent"]
    items: tuple[DrawnPart, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnMatching(DrawnQuestion):
    """Lefts (numbered 1, 2, … as they stand), and rights in the order shown.

    The right of `lefts[i]` is the one of `place` i; distractors have the places after the last left.
    """

    kind: Literal["matching"] = "matching"
    partial: Literal["none", "each"]
    lefts: tuple[str, ...]
    rights: tuple[DrawnPart, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnFill(DrawnQuestion):
    """A prompt with blanks `[[1]]`, `[[2]]`, …; `blanks[0]` is blank 1."""

    kind: Literal["fill"] = "fill"
    partial: Literal["none", "each"]
    blanks: tuple[DrawnBlank, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnShape(DrawnQuestion):
    """The dimensions of a shape, each an expression or a number; `also` are other ways to write it."""

    kind: Literal["shape"] = "shape"
    answer: tuple[str, ...]
    also: tuple[tuple[str, ...], ...]
    traps: tuple[DrawnShapeTrap, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnCode(DrawnQuestion):
    """Code and what is asked about it: `lines`, `prints` or `options` holds the key, the others are empty."""

    kind: Literal["code_reading"] = "code_reading"
    code: str
    ask: Literal["line", "output", "choice"]
    lines: tuple[int, ...]
    prints: tuple[str, ...]
    select: Literal["one", "many"]
    partial: Literal["none", "each"]
    options: tuple[DrawnOption, ...]


Drawn = (
    DrawnTrueFalse
    | DrawnChoice
    | DrawnShort
    | DrawnNumeric
    | DrawnOrdering
    | DrawnMatching
    | DrawnFill
    | DrawnShape
    | DrawnCode
)
