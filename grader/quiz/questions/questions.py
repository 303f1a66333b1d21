"""The kinds of question a bank holds, as its author writes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field, WithJsonSchema

from grader.core.records import Frozen

from .fields import (  # fmt: skip
    Code,
    Condition,
    Expression,
    Flag,
    Given,
    Id,
    Markdown,
    Name,
    Plain,
    Points,
    QuestionId,
    ShapeText,
    Slack,
)
from .rubric_model import Rubric, Signs

Difficulty = Literal["easy", "medium", "hard"]


class Common(Frozen):
    """What every question says; `given`, `let` and `where` make many of one."""

    id: QuestionId
    objective: Id
    difficulty: Difficulty
    points: Points = 1.0
    step: Id | None = None
    tags: tuple[Id, ...] = ()
    prompt: Markdown
    explanation: Markdown
    given: Mapping[Name, Annotated[tuple[Given, ...], Field(min_length=1)]] = Field(default_factory=dict)
    let: Mapping[Name, Expression] = Field(default_factory=dict)
    where: tuple[Condition, ...] = ()


class Option(Frozen):
    """One option of a choice; `also` are further wordings of the same option."""

    text: Markdown
    correct: Condition = "False"
    feedback: Markdown | None = None
    also: tuple[Plain, ...] = ()


class Trap(Frozen):
    """A wrong answer that a known misunderstanding leads to, and what to say about it."""

    answer: Expression
    feedback: Markdown


class ShapeTrap(Frozen):
    """A wrong shape that a known misunderstanding leads to, and what to say about it."""

    answer: ShapeText
    feedback: Markdown


Options = Annotated[tuple[Option, ...], Field(min_length=2, max_length=26)]
TruthFeedback = Annotated[
    Mapping[Flag, Markdown],
    WithJsonSchema(
        {
            "type": "object",
            "properties": {"true": {"type": "string"}, "false": {"type": "string"}},
            "additionalProperties": False,
        }
    ),
]


class TrueFalse(Common):
    """A statement that holds or does not."""

    kind: Literal["true_false"]
    answer: Condition
    feedback: TruthFeedback = Field(default_factory=dict)
    signs: Signs | None = None


class MultipleChoice(Common):
    """One option of several, or all that apply.

    With `partial: each` a choice of many earns (right ones chosen - wrong ones chosen) / right ones, at least 0.
    """

    kind: Literal["multiple_choice"]
    select: Literal["one", "many"] = "one"
    partial: Literal["none", "each"] = "none"
    shuffle: Flag = False
    options: Options


class ShortAnswer(Common):
    """A sentence in the learner's words, marked by a rubric of concepts."""

    kind: Literal["short_answer"]
    rubric: Rubric
    model: Markdown


class Tolerance(Frozen):
    """How far a number may be off: `absolute`, or `relative` to the answer, whichever allows more."""

    absolute: Slack = 0.0
    relative: Slack = 0.0


class Numeric(Common):
    """A number; with `unit`, one that may carry the unit in any of its spellings."""

    kind: Literal["numeric"]
    answer: Expression
    tolerance: Tolerance = Tolerance()
    unit: Plain | None = None
    units: tuple[Plain, ...] = ()
    traps: tuple[Trap, ...] = ()


class Ordering(Common):
    """Things to be put in order; `items` stand in the right one. `adjacent`: the share of neighbours kept."""

    kind: Literal["ordering"]
    partial: Literal["none", "adjacent"] = "none"
    items: Annotated[tuple[Markdown, ...], Field(min_length=3, max_length=12)]


class Pair(Frozen):
    """What belongs together."""

    left: Markdown
    right: Markdown


class Matching(Common):
    """Each left to its right; `distractors` are rights without a left. `each`: the share of pairs right."""

    kind: Literal["matching"]
    partial: Literal["none", "each"] = "none"
    pairs: Annotated[tuple[Pair, ...], Field(min_length=2, max_length=12)]
    distractors: Annotated[tuple[Markdown, ...], Field(max_length=12)] = ()


class Blank(Frozen):
    """One blank: every text that fills it rightly, the usual one first."""

    accept: Annotated[tuple[Plain, ...], Field(min_length=1)]
    feedback: Markdown | None = None


class Fill(Common):
    """Blanks `[[1]]`, `[[2]]` in the prompt. `each`: the share of blanks right."""

    kind: Literal["fill"]
    partial: Literal["none", "each"] = "none"
    blanks: Annotated[tuple[Blank, ...], Field(min_length=1, max_length=12)]


class Shape(Common):
    """A tensor's shape in the lesson's symbols, or in numbers where `given` has them."""

    kind: Literal["shape"]
    answer: ShapeText
    also: tuple[ShapeText, ...] = ()
    traps: tuple[ShapeTrap, ...] = ()


class CodeReading(Common):
    """Code with its lines numbered from 1, and one thing asked about it.

    `line`: `lines` holds every line number that is right. `output`: `prints` is what it prints, the text
    first and other ways to write it after. `choice`: `options` as in a multiple choice.
    """

    kind: Literal["code_reading"]
    code: Code
    ask: Literal["line", "output", "choice"]
    lines: tuple[Annotated[int, Field(strict=True, ge=1)], ...] = ()
    prints: tuple[Plain, ...] = ()
    select: Literal["one", "many"] = "one"
    partial: Literal["none", "each"] = "none"
    shuffle: Flag = False
    options: Annotated[tuple[Option, ...], Field(max_length=26)] = ()


Question = Annotated[
    TrueFalse | MultipleChoice | ShortAnswer | Numeric | Ordering | Matching | Fill | Shape | CodeReading,
    Field(discriminator="kind"),
]
