"""What is exported: the questions asked for, each with its draws, and what a format could not say of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from grader.quiz.bank.bank import Bank
from grader.quiz.drawing.draw import variants
from grader.quiz.drawing.drawn import Drawn
from grader.quiz.questions.questions import Question

__all__ = ["Group", "Losses", "Plan", "plan"]

NAMED = 6  # questions that a line about what was lost names


@dataclass(frozen=True, slots=True)
class Group:
    """One question and its draws: one, or several of which a learner gets any."""

    question: Question
    drawn: tuple[Drawn, ...]

    @property
    def several(self) -> bool:
        """Whether there are draws to choose from."""
        return len(self.drawn) > 1


@dataclass(frozen=True, slots=True)
class Plan:
    """The quiz to be written."""

    quiz: str
    title: str
    lesson: str
    groups: tuple[Group, ...]

    @property
    def points(self) -> float:
        """What a learner can earn."""
        return sum(group.question.points for group in self.groups)


@dataclass(slots=True)
class Losses:
    """What a format cannot say, gathered while it is written."""

    found: dict[str, list[str]] = field(default_factory=dict)

    def add(self, what: str, question: str) -> None:
        """Note it for a question; a question is named once."""
        ids = self.found.setdefault(what, [])
        if question not in ids:
            ids.append(question)

    def lines(self, most: int | None = NAMED) -> list[str]:
        """One line for each thing, with how many questions it is about and up to `most` of them (all for None)."""
        lines = []
        for what, ids in self.found.items():
            named = ids[:most]
            more = f" and {len(ids) - len(named)} more" if len(ids) > len(named) else ""
            count = f"{len(ids)} question{'' if len(ids) == 1 else 's'}"
            lines.append(f"{count}: {what} ({', '.join(named)}{more})")
        return lines


def plan(bank: Bank, ids: Iterable[str] | None = None, count: int = 1, seed: int = 0) -> Plan:
    """The questions with these ids (the Knowledge Check for None), parametrised ones drawn up to `count` times.

    Raises InputError for an id that the bank does not have, LessonError for a question that cannot be drawn.
    """
    groups = tuple(
        Group(question, variants(question, seed, count if question.given else 1))
        for question in bank.select(ids)
    )
    return Plan(bank.quiz, bank.title, bank.lesson, groups)
