"""A drawn question as what is asked of a learner: the few forms that other programs know.

Nine kinds of the bank come down to eight forms: a line of code to be named is a number, a shape is a text.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from grader.quiz.drawing.drawn import (
    Drawn,
    DrawnBlank,
    DrawnChoice,
    DrawnCode,
    DrawnFill,
    DrawnMatching,
    DrawnNumeric,
    DrawnOption,
    DrawnOrdering,
    DrawnPart,
    DrawnShape,
    DrawnShort,
    DrawnTrueFalse,
)
from grader.quiz.questions.questions import Question
from grader.quiz.questions.rubric_model import Rubric

from .plan import Group
from .wordings import shape_wordings, tidy_shape

__all__ = [
    "LOST",
    "Blanks",
    "Choice",
    "Essay",
    "Form",
    "Item",
    "Match",
    "Number",
    "Order",
    "Text",
    "Truth",
    "items",
    "lost_of",
]


@dataclass(frozen=True, slots=True)
class Truth:
    """A statement to be called true or false."""

    answer: bool
    feedback: dict[bool, str]


@dataclass(frozen=True, slots=True)
class Choice:
    """Options to choose from, in the order shown."""

    options: tuple[DrawnOption, ...]
    many: bool
    partial: bool
    shuffle: bool

    @property
    def right(self) -> int:
        """How many options are right."""
        return sum(option.correct for option in self.options)


@dataclass(frozen=True, slots=True)
class Number:
    """A number; each of `answers` is right, as is what lies no further off than `slack`."""

    answers: tuple[Fraction, ...]
    slack: Fraction = Fraction(0)
    unit: str | None = None
    units: tuple[str, ...] = ()
    traps: tuple[tuple[Fraction, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Text:
    """A short text: the spellings that are right, the usual one first, and wrong ones worth a word."""

    accept: tuple[str, ...]
    what: Literal["shape", "output"]
    traps: tuple[tuple[tuple[str, ...], str], ...] = ()


@dataclass(frozen=True, slots=True)
class Blanks:
    """A prompt with blanks `[[1]]`, `[[2]]`."""

    blanks: tuple[DrawnBlank, ...]
    partial: bool


@dataclass(frozen=True, slots=True)
class Order:
    """Parts in the order shown, to be put in the order of their `place`."""

    parts: tuple[DrawnPart, ...]
    partial: bool


@dataclass(frozen=True, slots=True)
class Match:
    """Lefts, each with the right of its place; rights in the order shown, distractors among them."""

    lefts: tuple[str, ...]
    rights: tuple[DrawnPart, ...]
    partial: bool


@dataclass(frozen=True, slots=True)
class Essay:
    """A sentence that a person marks, elsewhere than here."""

    model: str
    rubric: Rubric


# What no file holds of a question but its name, in words.
LOST = {
    "signs": "signs: an explanation that contradicts its true or false is not seen there",
    "also": "further wordings of an option: left out",
    "given": "drawn numbers: each draw is a question of its own, its numbers fixed",
    "blanks": "several blanks: each is a question of its own",
}

Form = Truth | Choice | Number | Text | Blanks | Order | Match | Essay


@dataclass(frozen=True, slots=True)
class Item:
    """One question as it is written into a file; `name` tells its draws apart."""

    id: str
    name: str
    kind: str
    points: float
    prompt: str
    explanation: str
    tags: tuple[str, ...]
    form: Form
    ask: str = ""
    step: str = ""
    lost: tuple[str, ...] = ()

    @property
    def facts(self) -> tuple[str, ...]:
        """What a file that has room for tags is told by them, for whoever reads it back."""
        whole = getattr(self.form, "partial", True) is False and getattr(self.form, "many", True)
        return (
            *self.tags,
            f"kind:{self.kind}",
            *([f"ask:{self.ask}"] if self.ask else []),
            *([f"step:{self.step}"] if self.step else []),
            *(["partial:none"] if whole else []),
            *(f"lost:{name}" for name in self.lost),
        )


def lost_of(question: Question) -> tuple[str, ...]:
    """What no file holds of it: names in `LOST`."""
    found = {
        "signs": getattr(question, "signs", None),
        "also": any(getattr(option, "also", ()) for option in getattr(question, "options", ())),
        "given": question.given,
    }
    return tuple(name for name, there in found.items() if there)


def items(group: Group) -> tuple[Item, ...]:
    """The draws of a question, in order."""
    several = group.several
    question, lost = group.question, lost_of(group.question)
    return tuple(
        _item(
            drawn, f"{drawn.id}-v{number}" if several else drawn.id, getattr(question, "shuffle", False), lost
        )
        for number, drawn in enumerate(group.drawn, start=1)
    )


def _item(drawn: Drawn, name: str, shuffle: bool, lost: tuple[str, ...]) -> Item:
    prompt, ask = drawn.prompt, ""
    if isinstance(drawn, DrawnCode):
        prompt, ask = f"{prompt}\n\n```python\n{_numbered(drawn.code)}\n```", drawn.ask
    return Item(
        id=drawn.id,
        name=name,
        kind=drawn.kind,
        points=drawn.points,
        prompt=prompt,
        explanation=drawn.explanation,
        tags=(f"objective:{drawn.objective}", f"difficulty:{drawn.difficulty}", *drawn.tags),
        form=_form(drawn, shuffle),
        ask=ask,
        step=drawn.step or "",
        lost=lost,
    )


def _numbered(code: str) -> str:
    lines = code.split("\n")
    width = len(str(len(lines)))
    return "\n".join(f"{number:>{width}}  {line}".rstrip() for number, line in enumerate(lines, start=1))


def _form(drawn: Drawn, shuffle: bool) -> Form:
    match drawn:
        case DrawnTrueFalse():
            return Truth(drawn.answer, dict(drawn.feedback))
        case DrawnChoice() | DrawnCode(ask="choice"):
            return Choice(drawn.options, drawn.select == "many", drawn.partial == "each", shuffle)
        case DrawnShort():
            return Essay(drawn.model, drawn.rubric)
        case DrawnNumeric():
            return _number(drawn)
        case DrawnOrdering():
            return Order(drawn.items, drawn.partial == "adjacent")
        case DrawnMatching():
            return Match(drawn.lefts, drawn.rights, drawn.partial == "each")
        case DrawnFill():
            return Blanks(drawn.blanks, drawn.partial == "each")
        case DrawnShape():
            return _shape(drawn)
        case DrawnCode():
            return _code(drawn)


def _number(drawn: DrawnNumeric) -> Number:
    slack = max(Fraction(repr(drawn.absolute)), Fraction(repr(drawn.relative)) * abs(drawn.answer))
    traps = tuple((trap.answer, trap.feedback) for trap in drawn.traps)
    return Number((drawn.answer,), slack, drawn.unit, drawn.units, traps)


def _shape(drawn: DrawnShape) -> Text:
    shapes = (drawn.answer, *drawn.also)
    accept = [*map(tidy_shape, shapes), *(text for shape in shapes for text in shape_wordings(shape))]
    taken = {text.casefold() for text in accept}
    traps = tuple(
        (tuple(text for text in shape_wordings(trap.answer) if text.casefold() not in taken), trap.feedback)
        for trap in drawn.traps
    )
    return Text(tuple(dict.fromkeys(accept)), "shape", traps)


def _code(drawn: DrawnCode) -> Number | Text:
    return Number(tuple(map(Fraction, drawn.lines))) if drawn.ask == "line" else Text(drawn.prints, "output")
