"""From marked records, and the sheets they were made from, to the report."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from grader.core.text import printable
from grader.quiz.bank.bank import Bank
from grader.quiz.drawing.draw import draw
from grader.quiz.questions.questions import Question

from .choices import Choices
from .figures import Matrix, alpha, alpha_interval, discrimination, half, median, rest, scores, spread, thirds
from .flags import question_flags, test_flags
from .report import OptionFigures, QuestionFigures, StatsReport, TestFigures, WrittenAnswer
from .results import ReadAnswer, ReadRecord, Results, question_ids

__all__ = ["analyse", "matrix_of"]

STEPS = 10  # of the histogram
SHOWN_ANSWERS = 5
ID_LENGTH, PROMPT_LENGTH, ANSWER_LENGTH = 64, 2_000, 120


def analyse(
    results: Results, bank: Bank | None = None, choices: Mapping[str, Choices] | None = None
) -> StatsReport:
    """The report; `bank` adds what the questions are, `choices` what was chosen."""
    matrix = matrix_of(results.records)
    known = {question.id: question for question in bank.questions} if bank is not None else {}
    questions = tuple(
        _question(results.records, matrix, place, known.get(name), (choices or {}).get(name, Choices()))
        for place, name in enumerate(matrix.ids)
    )
    return StatsReport(
        quiz=printable(results.quiz, ID_LENGTH),
        title=printable(bank.title, PROMPT_LENGTH) if bank is not None else "",
        sheets=len(results.records),
        test=_test(matrix, sum(question.waiting for question in questions)),
        questions=questions,
    )


def matrix_of(records: Sequence[ReadRecord]) -> Matrix:
    """The shares; a question is worth what most records say, the larger where two are as many."""
    ids = question_ids(records)
    column = {name: place for place, name in enumerate(ids)}
    shares = np.full((len(records), len(ids)), np.nan)
    worth: list[Counter[float]] = [Counter() for _ in ids]
    for row, record in enumerate(records):
        for answer in record.questions:
            shares[row, column[answer.id]] = answer.share
            worth[column[answer.id]][answer.max_points] += 1
    weights = [max(counts, key=lambda points: (counts[points], points)) for counts in worth]
    return Matrix(ids, shares, np.array(weights, dtype=np.float64))


def _test(matrix: Matrix, waiting: int) -> TestFigures:
    values = scores(matrix)
    mean, sd = spread(values)
    points = matrix.points[~np.isnan(values)]
    # A question that most sheets lack, or that waits on most, is no part of the test they have in common.
    points = points[:, 2 * (~np.isnan(points)).sum(axis=0) >= max(len(points), 1)]
    reliability = alpha(points)
    whole = points.shape[1] == len(matrix.ids)  # else the deviation is that of another score
    error = (
        sd * math.sqrt(1 - reliability)
        if whole and reliability is not None and sd is not None and reliability <= 1
        else None
    )
    counts, _ = np.histogram(values[~np.isnan(values)], bins=STEPS, range=(0.0, 1.0))
    figures = TestFigures(
        mean=mean,
        sd=sd,
        alpha=reliability,
        alpha_questions=points.shape[1],
        alpha_interval=alpha_interval(points),
        standard_error=error,
        histogram=tuple(int(count) for count in counts),
    )
    return figures.model_copy(update={"flags": test_flags(figures, len(points), len(matrix.ids), waiting)})


def _question(
    records: Sequence[ReadRecord], matrix: Matrix, place: int, question: Question | None, choices: Choices
) -> QuestionFigures:
    name = matrix.ids[place]
    answers = _answers(records, name)
    difficulty, _ = spread(matrix.shares[:, place])
    found = discrimination(matrix, place)
    interval = None if found is None or found.low is None or found.high is None else (found.low, found.high)
    others = rest(matrix, place)
    figures = QuestionFigures(
        id=printable(name, ID_LENGTH),
        kind=question.kind if question is not None else "",
        objective=question.objective if question is not None else "",
        prompt=_prompt(question) if question is not None else "",
        parametrised=bool(question is not None and question.given),
        max_points=float(matrix.weights[place]),
        sheets=len(answers),
        answered=sum(answer.outcome != "unanswered" for answer in answers.values()),
        waiting=sum(answer.outcome == "needs_review" for answer in answers.values()),
        difficulty=difficulty,
        discrimination=found.r if found is not None else None,
        discrimination_interval=interval,
        seconds=median([answer.seconds for answer in answers.values() if answer.seconds is not None]),
    )
    figures = figures.model_copy(update=_chosen(choices, answers, others))
    return figures.model_copy(update={"flags": question_flags(figures)})


def _prompt(question: Question) -> str:
    return printable(draw(question).prompt.strip(), PROMPT_LENGTH, keep_lines=True)


def _answers(records: Sequence[ReadRecord], name: str) -> dict[int, ReadAnswer]:
    """The marked answers to one question by the number of their record."""
    return {
        number: answer
        for number, record in enumerate(records)
        for answer in record.questions
        if answer.id == name
    }


def _chosen(
    choices: Choices, answers: Mapping[int, ReadAnswer], others: NDArray[np.float64]
) -> dict[str, object]:
    """The fields of `QuestionFigures` that tell who chose what."""
    asked = np.zeros(len(others), dtype=np.bool_)
    asked[[number for number in (*choices.picks, *choices.written) if number in answers]] = True
    among = np.where(asked, others, np.nan)
    groups = thirds(among)
    nobody = np.zeros(len(others), dtype=np.bool_)
    upper, lower = groups if groups is not None else (nobody, nobody)
    strong = half(among)
    picks = {number: pick for number, pick in choices.picks.items() if number in answers}
    options = []
    for place, (letter, text) in enumerate(choices.labels):
        here = [number for number, pick in picks.items() if place in pick.places]
        keyed = sum(place in pick.keys for pick in picks.values())
        options.append(
            OptionFigures(
                letter=letter,
                text=text,
                key=2 * keyed > len(picks),
                chosen=len(here),
                upper=int(upper[here].sum()),
                lower=int(lower[here].sum()),
                strong_in_error=sum(bool(strong[n]) and place not in picks[n].keys for n in here),
            )
        )
    return {
        "choices": len(picks) + sum(number in answers for number in choices.written),
        "upper": int(upper.sum()),
        "lower": int(lower.sum()),
        "strong": int(strong.sum()),
        "options": tuple(options),
        "no_option": sum(not pick.places for pick in picks.values()),
        "written": _written(choices, answers),
    }


def _written(choices: Choices, answers: Mapping[int, ReadAnswer]) -> tuple[WrittenAnswer, ...]:
    """What several wrote and did not earn everything with, the most frequent first."""
    texts = Counter(
        printable(text.casefold(), ANSWER_LENGTH)
        for number, text in choices.written.items()
        if number in answers and answers[number].outcome in ("partial", "incorrect")
    )
    often = sorted(
        ((text, count) for text, count in texts.items() if count > 1), key=lambda pair: (-pair[1], pair[0])
    )
    return tuple(WrittenAnswer(text=text, count=count) for text, count in often[:SHOWN_ANSWERS])
