"""A question without its key: all that a page or a terminal may show before it is answered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from grader.quiz.drawing.drawn import (
    Drawn,
    DrawnChoice,
    DrawnCode,
    DrawnFill,
    DrawnMatching,
    DrawnNumeric,
    DrawnOrdering,
    DrawnPart,
    DrawnShape,
    DrawnShort,
    DrawnTrueFalse,
)

__all__ = ["Control", "Lettered", "View", "view"]

Control = Literal["one", "many", "sentence", "text", "number", "line", "order", "match", "blanks"]


@dataclass(frozen=True, slots=True)
class Lettered:
    """A thing to choose, to order or to match: what stands for it on a sheet, and its text."""

    letter: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What is shown of a question; `control` is how it is answered, `ask` says so, `example` shows how to write it."""

    id: str
    points: float
    difficulty: str
    prompt: str
    control: Control
    ask: str
    example: str = ""
    code: str = ""
    things: tuple[Lettered, ...] = ()
    lefts: tuple[str, ...] = ()
    blanks: int = 0

    @property
    def lettered(self) -> bool:
        """Whether things are answered by their letters; true and false are answered as they are."""
        return bool(self.things) and self.things[0].letter != "true"

    @property
    def lines(self) -> int:
        """How many lines of code there are."""
        return self.code.rstrip("\n").count("\n") + 1 if self.code else 0


def view(drawn: Drawn) -> View:
    """The question without anything that tells its answer."""
    match drawn:
        case DrawnTrueFalse():
            things = (Lettered("true", "True"), Lettered("false", "False"))
            return _view(drawn, "one", "Choose true or false.", things=things)
        case DrawnChoice():
            return _choice(drawn, drawn.options)
        case DrawnShort():
            return _view(drawn, "sentence", "Answer in a sentence.")
        case DrawnNumeric():
            unit = f", in {drawn.unit}" if drawn.unit else ""
            return _view(drawn, "number", f"Give a number{unit}.", example=f"a number{unit}")
        case DrawnOrdering():
            ask = "Put them in order, the first one first."
            example = f"all letters in order, such as {' '.join(part.letter for part in drawn.items)}"
            return _view(drawn, "order", ask, things=_lettered(drawn.items), example=example)
        case DrawnMatching():
            return _matching(drawn)
        case DrawnFill():
            ask = "Fill the blank." if len(drawn.blanks) == 1 else "Fill the blanks."
            return _view(drawn, "blanks", ask, blanks=len(drawn.blanks))
        case DrawnShape():
            ask = "Give a shape, its sizes in order."
            return _view(drawn, "text", ask, example="a shape, such as (2, 3) or (n, m)")
        case DrawnCode():
            return _code(drawn)


def _view(
    drawn: Drawn,
    control: Control,
    ask: str,
    *,
    example: str = "",
    code: str = "",
    things: tuple[Lettered, ...] = (),
    lefts: tuple[str, ...] = (),
    blanks: int = 0,
) -> View:
    return View(
        id=drawn.id,
        points=drawn.points,
        difficulty=drawn.difficulty,
        prompt=drawn.prompt,
        control=control,
        ask=ask,
        example=example,
        code=code,
        things=things,
        lefts=lefts,
        blanks=blanks,
    )


def _code(drawn: DrawnCode) -> View:
    if drawn.ask == "choice":
        return _choice(drawn, drawn.options)
    if drawn.ask == "line":
        return _view(drawn, "line", "Give the number of a line.", code=drawn.code, example="a line's number")
    return _view(drawn, "text", "Write what is printed.", code=drawn.code, example="what is printed")


def _choice(drawn: DrawnChoice | DrawnCode, options: Sequence[DrawnPart]) -> View:
    code = drawn.code if isinstance(drawn, DrawnCode) else ""
    things = _lettered(options)
    if drawn.select == "many":
        example = "letters, such as a c"
        return _view(drawn, "many", "Choose all that apply.", code=code, things=things, example=example)
    example = f"a letter from {things[0].letter} to {things[-1].letter}"
    return _view(drawn, "one", "Choose one.", code=code, things=things, example=example)


def _matching(drawn: DrawnMatching) -> View:
    left_over = len(drawn.rights) > len(drawn.lefts)
    ask = "Give each number its letter." + (" Some letters are left over." if left_over else "")
    things = _lettered(drawn.rights)
    example = "pairs, such as " + " ".join(
        f"{place}{part.letter}" for place, part in enumerate(things[:2], 1)
    )
    return _view(drawn, "match", ask, things=things, lefts=drawn.lefts, example=example)


def _lettered(parts: Sequence[DrawnPart]) -> tuple[Lettered, ...]:
    return tuple(Lettered(part.letter, part.text) for part in parts)
