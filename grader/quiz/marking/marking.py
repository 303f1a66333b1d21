"""Marks one drawn question, whatever its kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.quiz.drawing.drawn import (
    Drawn,
    DrawnChoice,
    DrawnCode,
    DrawnFill,
    DrawnMatching,
    DrawnNumeric,
    DrawnOption,
    DrawnOrdering,
    DrawnShape,
    DrawnShort,
    DrawnTrueFalse,
)
from grader.quiz.english.short import Marker
from grader.quiz.expressions.notation import Notation
from grader.quiz.questions.marked import Verdict, review

from .answers import Answer, read_answer
from .arranged import matching_verdict, ordering_verdict
from .blanks import fill_verdict, line_verdict, print_verdict
from .choices import choice_verdict, several_verdict
from .numeric import numeric_verdict
from .options import Chooser
from .tensors import shape_verdict
from .truth import Reasons, truth_verdict

if TYPE_CHECKING:
    from grader.quiz.bank.bank import Bank

__all__ = ["Marking"]


class Marking:
    """A bank's marking; what is compiled for one answer serves the next."""

    def __init__(self, bank: Bank) -> None:
        self.notation = Notation.of(bank.notation)
        self._markers: dict[tuple[str, int], Marker] = {}
        self._choosers: dict[tuple[DrawnOption, ...], Chooser] = {}
        self._reasons: dict[str, Reasons] = {}

    def mark(self, drawn: Drawn, value: object) -> Verdict:
        """The verdict on an answer as it stands on a sheet."""
        answer = read_answer(value)
        if answer.blank:
            return Verdict("unanswered", 0.0, "")
        if answer.problem:
            return review(answer.problem)
        return self._mark(drawn, answer)

    def _mark(self, drawn: Drawn, answer: Answer) -> Verdict:
        parts, notation = answer.parts, self.notation
        match drawn:
            case DrawnTrueFalse():
                return truth_verdict(drawn, answer.text, self._reasons_of(drawn))
            case DrawnChoice():
                return self._choice(drawn, answer)
            case DrawnShort():
                return self._marker(drawn).mark(answer.text)
            case DrawnNumeric():
                return numeric_verdict(drawn, answer.text)
            case DrawnShape():
                return shape_verdict(drawn, parts, notation)
            case DrawnFill():
                return fill_verdict(drawn, parts, notation)
            case DrawnCode():
                return self._code(drawn, answer)
            case DrawnOrdering():
                return ordering_verdict(drawn, parts, notation)
            case DrawnMatching():
                return matching_verdict(drawn, parts, notation)

    def _code(self, drawn: DrawnCode, answer: Answer) -> Verdict:
        if drawn.ask == "line":
            return line_verdict(drawn, answer.parts)
        if drawn.ask == "output":
            return print_verdict(drawn, answer.text, self.notation)
        return self._choice(drawn, answer)

    def _choice(self, drawn: DrawnChoice | DrawnCode, answer: Answer) -> Verdict:
        if drawn.options not in self._choosers:
            self._choosers[drawn.options] = Chooser(drawn.options, self.notation)
        chooser = self._choosers[drawn.options]
        if drawn.select == "many":
            return several_verdict(drawn.options, answer.parts, chooser, drawn.partial)
        return choice_verdict(drawn.options, answer.parts, chooser)

    def _reasons_of(self, drawn: DrawnTrueFalse) -> Reasons:
        if drawn.id not in self._reasons:
            self._reasons[drawn.id] = Reasons(drawn.signs, self.notation)
        return self._reasons[drawn.id]

    def _marker(self, drawn: DrawnShort) -> Marker:
        key = (drawn.id, drawn.variant)
        if key not in self._markers:
            self._markers[key] = Marker(drawn.rubric, drawn.prompt, self.notation)
        return self._markers[key]
