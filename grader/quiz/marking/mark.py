"""Marks whole sheets: the record of contract section 5, version 1."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from grader.core.escape import json_quiet
from grader.core.records import Frozen
from grader.core.text import printable
from grader.quiz.bank.bank import Bank
from grader.quiz.drawing.draw import draw
from grader.quiz.drawing.drawn import Drawn
from grader.quiz.questions.marked import Outcome, Verdict, review
from grader.quiz.questions.questions import Question

from .decisions import Decision, Decisions, answer_key
from .marking import Marking
from .sheet import Sheet

__all__ = ["Judged", "MarkedAnswer", "QuizRecord", "SheetMarker", "mark_sheet"]

MESSAGE_LENGTH = 500
NAMED = 10  # unknown ids that a warning names


class MarkedAnswer(Frozen):
    """One question of a sheet and what became of it."""

    id: str
    outcome: Outcome
    points: float
    max_points: float
    message: str


class QuizRecord(Frozen):
    """One marked sheet."""

    version: Literal[1] = 1
    quiz: str
    learner: str
    score: float
    max_score: float
    needs_review: int
    questions: tuple[MarkedAnswer, ...]

    def to_json(self, indent: int | None = 2) -> str:
        """The record as JSON text, numbers rounded to 4 decimals, a newline at the end."""
        data = self.model_dump()
        data["score"], data["max_score"] = round(self.score, 4), round(self.max_score, 4)
        for question in data["questions"]:
            question["points"] = round(question["points"], 4)
        return json_quiet(json.dumps(data, ensure_ascii=False, indent=indent, allow_nan=False)) + "\n"


@dataclass(frozen=True, slots=True)
class Judged:
    """One answer to a question as its learner saw it; `apart` is why it is no equal of others', "" for most."""

    drawn: Drawn
    value: object
    verdict: Verdict
    apart: str = ""


class SheetMarker:
    """Marks many sheets with one bank; questions without parameters are drawn once."""

    def __init__(
        self,
        bank: Bank,
        ids: Iterable[str] | None = None,
        seed: int | None = None,
        decisions: Decisions | None = None,
    ) -> None:
        self.bank = bank
        self.questions: tuple[Question, ...] = bank.select(ids)
        self._seed = seed
        self._marking = Marking(bank)
        self._fixed: dict[str, Drawn] = {}
        self._decided: Mapping[tuple[str, str], Decision] = {
            (item.question, item.key): item
            for item in (decisions or Decisions()).decisions
            if item.quiz == bank.quiz
        }

    def mark(self, sheet: Sheet) -> QuizRecord:
        """The record of one sheet."""
        marked = tuple(_marked(question, self._judged(question, sheet)) for question in self.questions)
        return QuizRecord(
            quiz=self.bank.quiz,
            learner=printable(sheet.learner, MESSAGE_LENGTH),
            score=sum(item.points for item in marked),
            max_score=sum(item.max_points for item in marked),
            needs_review=sum(item.outcome == "needs_review" for item in marked),
            questions=marked,
        )

    def open_ones(self, sheet: Sheet) -> list[Judged]:
        """The answers of a sheet that wait for a person."""
        judged = (self._judged(question, sheet) for question in self.questions)
        return [item for item in judged if item.verdict.outcome == "needs_review"]

    def warnings(self, sheet: Sheet) -> list[str]:
        """What a person should hear of a sheet: ids that the bank does not have; that it was drawn for another."""
        found = _unknown_ids(self.bank, sheet)
        if sheet.borrowed and any(map(_varies, self.questions)):
            found.append(f"{sheet.borrowed}; what was drawn is left to a person")
        return [f"{printable(sheet.name, 200)}: {line}" for line in found]

    def drawn(self, question: Question, sheet: Sheet) -> Drawn:
        """The question as the sheet's learner saw it."""
        seed = self._seed if self._seed is not None else sheet.seed or 0
        if _varies(question):
            return draw(question, seed, sheet.learner if sheet.drawn_for is None else sheet.drawn_for)
        if question.id not in self._fixed:
            self._fixed[question.id] = draw(question)
        return self._fixed[question.id]

    def _judged(self, question: Question, sheet: Sheet) -> Judged:
        """What people decided about the answer, or else what the rules find."""
        drawn, value = self.drawn(question, sheet), sheet.answers.get(question.id)
        apart = sheet.borrowed if _varies(question) else ""
        if self._decided and value is not None:
            decision = self._decided.get((drawn.id, answer_key(drawn, value, apart)))
            if decision is not None:
                return Judged(drawn, value, decision.verdict(), apart)
        verdict = self._marking.mark(drawn, value)
        if apart and verdict.outcome != "unanswered":
            verdict = review(apart)
        return Judged(drawn, value, verdict, apart)


def _varies(question: Question) -> bool:
    """Whether learners see different numbers or another order."""
    return bool(
        question.given or question.kind in ("ordering", "matching") or getattr(question, "shuffle", False)
    )


def _marked(question: Question, judged: Judged) -> MarkedAnswer:
    return MarkedAnswer(
        id=question.id,
        outcome=judged.verdict.outcome,
        points=judged.verdict.share * question.points,
        max_points=question.points,
        message=printable(judged.verdict.message, MESSAGE_LENGTH),
    )


def mark_sheet(
    bank: Bank,
    sheet: Sheet,
    ids: Iterable[str] | None = None,
    seed: int | None = None,
    decisions: Decisions | None = None,
) -> QuizRecord:
    """The record of one sheet. Raises InputError for an id that the bank does not have."""
    return SheetMarker(bank, ids, seed, decisions).mark(sheet)


def _unknown_ids(bank: Bank, sheet: Sheet) -> list[str]:
    known = {question.id for question in bank.questions}
    names = [printable(name, 60) for name in sheet.answers if name not in known]
    if not names:
        return []
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return [f"unknown id{'s' * (len(names) > 1)} {', '.join(names[:NAMED])}{more}; the rest is marked"]
