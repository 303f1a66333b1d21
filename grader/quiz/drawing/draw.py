"""Draws a question for one learner: the same seed, learner and question give the same draw, everywhere."""

from __future__ import annotations

import math
from collections.abc import Iterator

from grader.core.errors import LessonError
from grader.quiz.expressions.arithmetic import ExpressionError, Value
from grader.quiz.expressions.expressions import Values, evaluate, truth
from grader.quiz.questions.questions import Question

from .chance import Chance
from .drawn import Drawn
from .filling import filled
from .sameness import clash

__all__ = ["count", "draw", "draws", "values_at", "variants"]


def count(question: Question) -> int:
    """How many combinations of its `given` values the question has; 1 without any."""
    return math.prod(len(values) for values in question.given.values())


def values_at(question: Question, index: int) -> Values | None:
    """The values of combination `index`, its `let` included; None where `where` excludes it.

    The last name of `given` changes fastest. Raises ExpressionError.
    """
    values: dict[str, Value] = {}
    for name, choices in reversed(list(question.given.items())):
        index, place = divmod(index, len(choices))
        values[name] = choices[place]
    values = {name: values[name] for name in question.given}
    for name, expression in question.let.items():
        values[name] = evaluate(expression, values)
    return values if all(truth(condition, values) for condition in question.where) else None


def draw(question: Question, seed: int = 0, learner: str = "") -> Drawn:
    """The question as this learner sees it. Raises LessonError where no draw of it can be used."""
    options = Chance("values", seed, learner, question.id).order(count(question))
    for drawn in _usable(question, options, ("shown", seed, learner, question.id)):
        return drawn
    raise LessonError(f"question {question.id!r}: no draw of it can be used; check the bank")


def variants(question: Question, seed: int = 0, limit: int = 20) -> tuple[Drawn, ...]:
    """Up to `limit` different draws in an order of chance, for formats that keep a group of them.

    Raises LessonError where no draw can be used.
    """
    options = Chance("values", seed, question.id).order(count(question))
    found = []
    for drawn in _usable(question, options, ("shown", seed, question.id)):
        found.append(drawn)
        if len(found) == limit:
            break
    if not found:
        raise LessonError(f"question {question.id!r}: no draw of it can be used; check the bank")
    return tuple(found)


def draws(question: Question) -> Iterator[Drawn | None]:
    """Every combination in turn, drawn; None for one that `where` or an equal pair rules out.

    Raises ExpressionError, with the values at fault, where something cannot be computed.
    """
    for index in range(count(question)):
        yield _drawn(question, index, Chance("all", index, question.id))


def _usable(question: Question, indices: Iterator[int], key: tuple[str | int, ...]) -> Iterator[Drawn]:
    for index in indices:
        try:
            drawn = _drawn(question, index, Chance(*key))
        except ExpressionError as error:
            raise LessonError(f"question {question.id!r}: {error}") from None
        if drawn is not None:
            yield drawn


def _drawn(question: Question, index: int, chance: Chance) -> Drawn | None:
    values = values_at(question, index)
    if values is None:
        return None
    drawn = filled(question, values, index, chance)
    return None if question.given and clash(drawn) else drawn
