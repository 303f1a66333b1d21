from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from grader.quiz.bank.bank import read_bank
from grader.quiz.drawing.draw import draw
from grader.quiz.marking.marking import Marking

ROOT = Path(__file__).resolve().parents[2]
BANK = read_bank(ROOT / "quizzes" / "multi_head_attention.yaml")
WRITTEN = yaml.safe_load((ROOT / "tests" / "data" / "quiz_rubrics.yaml").read_text(encoding="utf-8"))
OWN = {
    question.id: question
    for question in BANK.questions
    if question.kind == "short_answer" and question.id not in BANK.check
}
# What a group of answers may be marked as: an answer that is clearly right never as wrong, and the other way round.
ALLOWED = {
    "correct": {"correct", "needs_review"},
    "partial": {"partial", "needs_review"},
    "incorrect": {"incorrect", "needs_review"},
    "needs_review": {"incorrect", "partial", "needs_review"},
}


def outcomes(name: str, group: str) -> dict[str, str]:
    drawn, marking = draw(OWN[name]), Marking(BANK)
    return {text: marking.mark(drawn, text).outcome for text in WRITTEN[name][group]}


def test_every_short_question_has_written_answers() -> None:
    assert sorted(WRITTEN) == sorted(OWN)
    assert all(len(groups["correct"]) >= 15 and len(groups["incorrect"]) >= 3 for groups in WRITTEN.values())


@pytest.mark.parametrize("name", sorted(OWN))
@pytest.mark.parametrize("group", ALLOWED)
def test_no_answer_is_marked_the_wrong_way(name: str, group: str) -> None:
    assert {text: got for text, got in outcomes(name, group).items() if got not in ALLOWED[group]} == {}


@pytest.mark.parametrize("name", sorted(OWN))
def test_few_plain_answers_go_to_a_person(name: str) -> None:
    found = outcomes(name, "correct") | outcomes(name, "incorrect")
    waiting = [text for text, outcome in found.items() if outcome == "needs_review"]
    assert len(waiting) <= 0.15 * len(found), waiting


@pytest.mark.parametrize("name", sorted(OWN))
def test_the_model_answer_is_right(name: str) -> None:
    assert Marking(BANK).mark(draw(OWN[name]), OWN[name].model).outcome == "correct"
