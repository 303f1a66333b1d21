"""Fills the values of one draw into a question: texts, key, and the order in which things are shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from string import ascii_lowercase
from typing import Any, TypedDict

from grader.quiz.expressions.arithmetic import shown
from grader.quiz.expressions.expressions import Values, number, truth
from grader.quiz.expressions.shapes import filled as filled_shape
from grader.quiz.expressions.templates import fill
from grader.quiz.questions.questions import (
    CodeReading,
    Fill,
    Matching,
    MultipleChoice,
    Numeric,
    Option,
    Ordering,
    Question,
    Shape,
    ShortAnswer,
    TrueFalse,
)

from .chance import Chance
from .drawn import (
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
    DrawnShapeTrap,
    DrawnShort,
    DrawnTrap,
    DrawnTrueFalse,
)

__all__ = ["filled"]


class _Shared(TypedDict):
    """The fields that every kind of drawn question has."""

    id: str
    objective: str
    difficulty: Any
    points: float
    step: str | None
    tags: tuple[str, ...]
    prompt: str
    explanation: str
    variant: int
    values: Mapping[str, str]


def filled(question: Question, values: Values, variant: int, chance: Chance) -> Drawn:
    """The question with these values; `chance` shuffles what is to be shuffled. Raises ExpressionError."""
    shared = _shared(question, values, variant)
    match question:
        case TrueFalse():
            feedback = {key: fill(text, values) for key, text in question.feedback.items()}
            answer = truth(question.answer, values)
            return DrawnTrueFalse(**shared, answer=answer, feedback=feedback, signs=question.signs)
        case MultipleChoice(select=select, partial=partial):
            options = _options(question.options, question.shuffle, values, chance)
            return DrawnChoice(**shared, select=select, partial=partial, options=options)
        case ShortAnswer():
            return DrawnShort(**shared, rubric=question.rubric, model=fill(question.model, values))
        case Numeric():
            return _numeric(question, shared, values)
        case Ordering(partial=partial):
            items = [fill(item, values) for item in question.items]
            return DrawnOrdering(**shared, partial=partial, items=_out_of_order(items, chance))
        case Matching():
            return _matching(question, shared, values, chance)
        case Fill(partial=partial):
            blanks = tuple(
                DrawnBlank(accept=_each(blank.accept, values), feedback=_maybe(blank.feedback, values))
                for blank in question.blanks
            )
            return DrawnFill(**shared, partial=partial, blanks=blanks)
        case Shape():
            return _shape(question, shared, values)
        case CodeReading():
            return _code(question, shared, values, chance)


def _shared(question: Question, values: Values, variant: int) -> _Shared:
    return _Shared(
        id=question.id,
        objective=question.objective,
        difficulty=question.difficulty,
        points=question.points,
        step=question.step,
        tags=question.tags,
        prompt=fill(question.prompt, values),
        explanation=fill(question.explanation, values),
        variant=variant,
        values={name: shown(value) for name, value in values.items()},
    )


def _numeric(question: Numeric, shared: _Shared, values: Values) -> DrawnNumeric:
    return DrawnNumeric(
        **shared,
        answer=number(question.answer, values),
        absolute=question.tolerance.absolute,
        relative=question.tolerance.relative,
        unit=_maybe(question.unit, values),
        units=_each(question.units, values),
        traps=tuple(
            DrawnTrap(answer=number(trap.answer, values), feedback=fill(trap.feedback, values))
            for trap in question.traps
        ),
    )


def _shape(question: Shape, shared: _Shared, values: Values) -> DrawnShape:
    return DrawnShape(
        **shared,
        answer=filled_shape(question.answer, values),
        also=tuple(filled_shape(shape, values) for shape in question.also),
        traps=tuple(
            DrawnShapeTrap(answer=filled_shape(trap.answer, values), feedback=fill(trap.feedback, values))
            for trap in question.traps
        ),
    )


def _matching(question: Matching, shared: _Shared, values: Values, chance: Chance) -> DrawnMatching:
    rights = _each([*(pair.right for pair in question.pairs), *question.distractors], values)
    return DrawnMatching(
        **shared,
        partial=question.partial,
        lefts=_each([pair.left for pair in question.pairs], values),
        rights=_lettered(rights, tuple(chance.order(len(rights)))),
    )


def _code(question: CodeReading, shared: _Shared, values: Values, chance: Chance) -> DrawnCode:
    return DrawnCode(
        **shared,
        code=fill(question.code, values),
        ask=question.ask,
        lines=question.lines,
        prints=_each(question.prints, values),
        select=question.select,
        partial=question.partial,
        options=_options(question.options, question.shuffle, values, chance),
    )


def _options(
    options: Sequence[Option], shuffle: bool, values: Values, chance: Chance
) -> tuple[DrawnOption, ...]:
    made = [
        DrawnOption(
            letter="",
            place=place,
            text=fill(option.text, values),
            correct=truth(option.correct, values),
            feedback=_maybe(option.feedback, values),
            also=_each(option.also, values),
        )
        for place, option in enumerate(options)
    ]
    order = chance.shuffled(made) if shuffle else made
    return tuple(
        replace(option, letter=letter) for letter, option in zip(ascii_lowercase, order, strict=False)
    )


def _out_of_order(items: Sequence[str], chance: Chance) -> tuple[DrawnPart, ...]:
    """The items in any order but the right one, which would be the answer."""
    right = tuple(range(len(items)))
    order = right
    while order == right:
        order = tuple(chance.order(len(items)))
    return _lettered(items, order)


def _lettered(texts: Sequence[str], order: Sequence[int]) -> tuple[DrawnPart, ...]:
    letters = zip(ascii_lowercase, order, strict=False)
    return tuple(DrawnPart(letter=letter, place=place, text=texts[place]) for letter, place in letters)


def _each(texts: Sequence[str], values: Values) -> tuple[str, ...]:
    return tuple(fill(text, values) for text in texts)


def _maybe(text: str | None, values: Values) -> str | None:
    return None if text is None else fill(text, values)
