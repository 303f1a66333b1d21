from __future__ import annotations

import collections
import re
from fractions import Fraction
from pathlib import Path

import pytest

from grader.quiz.bank.bank import read_bank
from grader.quiz.drawing.draw import variants
from grader.quiz.drawing.drawn import (
    Drawn,
    DrawnChoice,
    DrawnCode,
    DrawnFill,
    DrawnMatching,
    DrawnNumeric,
    DrawnOrdering,
    DrawnShape,
    DrawnTrueFalse,
)
from grader.quiz.expressions.expressions import number
from grader.quiz.questions.questions import Question
from tests.quiz.proofs import assemble, attend, check, join, split, weigh, wire
from tests.quiz.proofs.base import ShapeKey

ROOT = Path(__file__).resolve().parents[2]
BANK = read_bank(ROOT / "quizzes" / "multi_head_attention.yaml")
QUESTIONS = {question.id: question for question in BANK.questions}
PROOFS = {
    name: proof
    for module in (check, split, attend, join, assemble, wire, weigh)
    for name, proof in module.PROOFS.items()
}
# A question without a proof needs a reason.
NOT_COMPUTED = {
    "kc-01": "a sentence; its rubric is tested with written answers",
    "kc-04": "a sentence; its rubric is tested with written answers",
    "kc-07": "a name; its rubric is tested with written answers",
    "kc-10": "a fact about the course",
    "attend-why-scale": "a sentence; its rubric is tested with written answers",
    "assemble-why-module-list": "a sentence; its rubric is tested with written answers",
    "wire-who-asks": "a sentence; its rubric is tested with written answers",
    "weigh-why-not-h-times": "a sentence; its rubric is tested with written answers",
}
DRAWS = 8


def key(drawn: Drawn) -> object:
    """The key of a drawn question, in the form in which a proof returns it."""
    match drawn:
        case DrawnTrueFalse():
            return drawn.answer
        case DrawnCode(ask="line"):
            return list(drawn.lines)
        case DrawnCode(ask="output"):
            return drawn.prints[0]
        case DrawnChoice() | DrawnCode():
            return [option.correct for option in sorted(drawn.options, key=lambda option: option.place)]
        case DrawnOrdering():
            return [item.text for item in sorted(drawn.items, key=lambda item: item.place)]
        case DrawnMatching():
            rights = sorted(drawn.rights, key=lambda right: right.place)
            return {left: right.text for left, right in zip(drawn.lefts, rights, strict=False)}
        case DrawnFill():
            return [blank.accept[0] for blank in drawn.blanks]
        case _:
            pytest.fail(f"{drawn.id}: a {drawn.kind} has no key")


def within(drawn: DrawnNumeric, value: object) -> bool:
    slack = max(drawn.absolute, drawn.relative * abs(drawn.answer))
    return abs(Fraction(value) - drawn.answer) <= slack  # type: ignore[arg-type]


def sized(dimensions: tuple[str, ...], shape: ShapeKey) -> tuple[Fraction, ...]:
    values = {name: Fraction(size) for name, size in shape.sizes.items()}
    return tuple(number(dimension, values) for dimension in dimensions)


@pytest.mark.parametrize("name", sorted(PROOFS))
def test_the_key_is_what_comes_out(name: str) -> None:
    drawn = variants(QUESTIONS[name], limit=DRAWS)
    assert drawn
    for one in drawn:
        proved = PROOFS[name](one)
        if isinstance(one, DrawnNumeric):
            assert within(one, proved), (one.prompt, one.answer, proved)
            assert not any(within(one, trap.answer) for trap in one.traps), one.prompt
        elif isinstance(one, DrawnShape):
            assert isinstance(proved, ShapeKey)
            assert sized(one.answer, proved) == proved.shape, one.prompt
            assert all(sized(trap.answer, proved) != proved.shape for trap in one.traps), one.prompt
        else:
            assert proved == key(one), one.prompt


def test_every_question_is_proved_or_says_why_not() -> None:
    assert sorted([*PROOFS, *NOT_COMPUTED]) == sorted(QUESTIONS)
    assert all(NOT_COMPUTED.values())
    assert {QUESTIONS[name].kind for name in NOT_COMPUTED} == {"short_answer"}


# --- what the bank has to hold ------------------------------------------------------------------------


def test_the_bank_is_large_enough_and_reaches_everywhere() -> None:
    questions = BANK.questions
    assert len(questions) >= 70
    own = collections.Counter(question.objective for question in questions if question.id not in BANK.check)
    assert len(own) == 6
    assert min(own.values()) >= 6
    kinds = collections.Counter(question.kind for question in questions)
    assert len(kinds) == 9
    assert min(kinds.values()) >= 3
    assert sum(bool(question.given) for question in questions) >= 24
    assert {question.difficulty for question in questions} == {"easy", "medium", "hard"}
    assert list(BANK.check) == [f"kc-{number:02}" for number in range(1, 11)]


def test_every_parametrised_question_has_several_draws() -> None:
    few = {
        question.id: len(variants(question, limit=4))
        for question in BANK.questions
        if question.given and len(variants(question, limit=4)) < 3
    }
    assert few == {}


def own_choices() -> list[Question]:
    return [
        question
        for question in BANK.questions
        if getattr(question, "options", ()) and question.id not in BANK.check
    ]


def test_every_option_and_truth_value_has_its_own_word() -> None:
    silent = [
        question.id for question in own_choices() if not all(option.feedback for option in question.options)
    ]
    silent += [
        question.id
        for question in BANK.questions
        if question.kind == "true_false" and set(question.feedback) != {True, False}
    ]
    assert silent == []


def test_explanations_teach() -> None:
    short = []
    for question in BANK.questions:
        if question.id not in BANK.check:
            sentences = re.findall(r"[.:;?!](?:\s|$)", question.explanation)
            if len(sentences) < 2 or len(question.explanation.split()) < 25:
                short.append(question.id)
    assert short == []


def test_nothing_gives_the_right_option_away() -> None:
    single = [question for question in own_choices() if question.select == "one"]
    places, longest = collections.Counter(), 0
    for question in single:
        texts = [option.text for option in question.options]
        (right,) = [place for place, option in enumerate(question.options) if option.correct == "True"]
        places[right] += 1
        longest += all(len(texts[right]) > len(text) for place, text in enumerate(texts) if place != right)
    assert max(places.values()) <= 0.35 * len(single)
    assert min(places[place] for place in range(4)) >= 0.15 * len(single)
    assert longest <= 0.35 * len(single)
    truths = [question.answer == "True" for question in BANK.questions if question.kind == "true_false"]
    assert 0.3 <= sum(truths) / len(truths) <= 0.7
