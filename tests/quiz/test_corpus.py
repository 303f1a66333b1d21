"""The lesson's own Knowledge Check against answers as people write them, each with the outcome it must get.

The files kc-*.yaml of tests/data/quiz_answers/ hold one question each, in batches; round-*.yaml hold a batch over all
questions each. The batches were written one after the other, each before marking was tuned on it. Within a batch:
`correct`, `partial` and `incorrect` answers may at worst wait for a person; `never_correct` ones say something right
and something wrong, or half of it; `needs_review` ones no rule should decide for right; `unanswered` ones are blank.
"""

from __future__ import annotations

import functools
import re
from collections import Counter
from pathlib import Path

import pytest
import yaml

from grader.quiz.bank.bank import Bank, read_bank
from grader.quiz.drawing.draw import draw
from grader.quiz.drawing.drawn import Drawn
from grader.quiz.marking.marking import Marking

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "tests" / "data" / "quiz_answers"
CHECK = [f"kc-{number:02}" for number in range(1, 11)]
DECIDED = ("correct", "partial", "incorrect")
ALLOWED = {
    "correct": {"correct", "needs_review"},
    "partial": {"partial", "needs_review"},
    "incorrect": {"incorrect", "needs_review"},
    "never_correct": {"incorrect", "needs_review"},
    "needs_review": {"incorrect", "needs_review"},
    "unanswered": {"unanswered"},
}
MOST_TO_REVIEW = 0.10
SHORT = ("kc-01", "kc-04", "kc-07", "kc-10")


@functools.cache
def bank() -> Bank:
    return read_bank(ROOT / "quizzes" / "multi_head_attention.yaml", ROOT)


@functools.cache
def marking() -> Marking:
    return Marking(bank())


@functools.cache
def drawn(question: str) -> Drawn:
    return draw(next(iter(bank().select([question]))))


@functools.cache
def rounds() -> list[dict[str, dict[str, list[object]]]]:
    return [yaml.safe_load(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("round-*.yaml"))]


def corpus(question: str) -> list[tuple[str, object]]:
    """(the outcome it must get, the answer) of every answer to a question."""
    batches = [*yaml.safe_load((FOLDER / f"{question}.yaml").read_text(encoding="utf-8")).values()]
    batches += [part.get(question, {}) for part in rounds()]
    return [(wanted, answer) for batch in batches for wanted, answers in batch.items() for answer in answers]


def outcome(question: str, answer: object) -> str:
    return marking().mark(drawn(question), answer).outcome


@functools.cache
def marked(question: str) -> tuple[tuple[str, object, str], ...]:
    """(the outcome it must get, the answer, the outcome it gets) of every answer to a question."""
    return tuple((wanted, answer, outcome(question, answer)) for wanted, answer in corpus(question))


def test_the_corpus_is_as_large_as_was_asked() -> None:
    assert sorted(path.stem for path in FOLDER.glob("kc-*.yaml")) == CHECK
    sizes = {question: len(corpus(question)) for question in CHECK}
    assert sum(sizes.values()) >= 1000
    assert min(sizes.values()) >= 40


@pytest.mark.parametrize("question", CHECK)
def test_no_right_answer_is_marked_wrong_and_no_wrong_one_right(question: str) -> None:
    errors = [
        f"{answer!r} is {found}, not {wanted}"
        for wanted, answer, found in marked(question)
        if found not in ALLOWED[wanted]
    ]
    assert errors == []


def test_few_clear_answers_wait_for_a_person() -> None:
    found = Counter(found for question in CHECK for wanted, _, found in marked(question) if wanted in DECIDED)
    assert found["needs_review"] / found.total() <= MOST_TO_REVIEW
    assert min(found["correct"], found["incorrect"], found["partial"]) > 20


@pytest.mark.parametrize("question", CHECK)
def test_an_answer_is_the_same_in_any_case_and_dress(question: str) -> None:
    dresses = ("{}", "  {} ", "{}\n", "{}.", '"{}"', "I think {}", "Answer: {}", "the answer is {}")
    unlike = []
    for wanted, answer, plain in marked(question):
        if not isinstance(answer, str) or wanted not in ("correct", "incorrect"):
            continue
        variants = [dress.format(answer) for dress in dresses]
        if "\\" not in answer:
            variants += [answer.upper(), answer.lower()]
        opposite = {"correct": "incorrect", "incorrect": "correct"}.get(plain)
        unlike += [variant for variant in variants if outcome(question, variant) == opposite]
    assert unlike == []


@pytest.mark.parametrize("question", SHORT)
@pytest.mark.parametrize(
    "denial",
    [
        "It is not true that {}", "It is false that {}", "{} is wrong", "{} is not the answer", "{}, which is a joke",
        "I doubt that {}", "Nobody says {}", "I have no idea, maybe {}", "{}. Not!",
    ],
)  # fmt: skip
def test_a_right_answer_denied_is_not_right(question: str, denial: str) -> None:
    sentences = [
        answer.rstrip(".! ")
        for wanted, answer in corpus(question)
        if wanted == "correct"
        and isinstance(answer, str)
        and not re.search(r"[,;:\n]|\.\s", answer.rstrip(".! "))
    ]
    assert len(sentences) > 10
    clauses = [text for text in sentences if not re.match(r"(?i)because|so\b|to\b|in order|not\b", text)]
    denied = [denial.format(sentence) for sentence in clauses]
    assert [text for text in denied if outcome(question, text) == "correct"] == []


@pytest.mark.parametrize(
    ("question", "claim"),
    [
        ("kc-01", "It also averages the heads."), ("kc-01", "The heads are summed."), ("kc-01",
        "W_O comes first, then concat."),
        ("kc-04", "It also makes it faster."), ("kc-04", "It reduces overfitting."), ("kc-04", "It adds parameters."),
        ("kc-07", "Or nn.Transformer."), ("kc-07", "Or F.scaled_dot_product_attention."),
        ("kc-10", "Or layer normalization."), ("kc-10", "Or the Transformer block."),
    ],
)  # fmt: skip
def test_a_right_answer_with_a_wrong_one_beside_it_is_not_right(question: str, claim: str) -> None:
    right = [a for wanted, a in corpus(question) if wanted == "correct" and isinstance(a, str)]
    both = [f"{answer.rstrip('.')}. {claim}" for answer in right]
    assert [text for text in both if outcome(question, text) == "correct"] == []


@pytest.mark.parametrize("question", SHORT)
@pytest.mark.parametrize(
    "text", ["{}", "word " * 300, "concat W_O softmax heads QKV", "🤷", "...!?", "kc-01", "\x00\x07"]
)
def test_noise_earns_nothing(question: str, text: str) -> None:
    assert outcome(question, text) in ("incorrect", "needs_review", "unanswered")


@pytest.mark.parametrize("question", SHORT)
def test_the_prompt_given_back_earns_nothing(question: str) -> None:
    assert outcome(question, drawn(question).prompt) in ("incorrect", "needs_review")


def test_the_model_answers_are_right() -> None:
    for question in bank().questions:
        if question.kind == "short_answer":
            verdict = marking().mark(draw(question), question.model)
            assert verdict.outcome == "correct", question.id


@pytest.mark.parametrize("question", CHECK)
@pytest.mark.parametrize("odd", [{"a": "b"}, float("nan"), "x" * 20_001])
def test_what_is_no_answer_waits_for_a_person(question: str, odd: object) -> None:
    assert outcome(question, odd) == "needs_review"
