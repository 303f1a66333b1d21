from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from grader.core.own_words import unmarked
from grader.judging.cases import Case, Finding, Unreached
from grader.lesson.answers import Answer, FigureValue, Line, OtherValue, SequenceValue, TensorValue
from grader.lesson.fingerprint import seal
from grader.lesson.probes import Probe
from tests.tools.answers import probe, raising, returned, tensor

PLAIN = probe()
GRADED = probe(report=("y", "d_x"), grads=frozenset({"x"}))
LINE = Line("add.py", 7, "add", "    scores = q @ k")
NAN = float("nan")


def case(got: Answer, asked: Probe = PLAIN, again: Answer | None = None, **want: Any) -> Case:
    return Case(asked, got, want, again)


def finding(ask: Callable[[], object]) -> str:
    with pytest.raises(Finding) as raised:
        ask()
    return unmarked(str(raised.value))


# --- agrees -------------------------------------------------------------------------------------


def test_a_right_answer_agrees() -> None:
    case(returned(PLAIN, y=tensor([1, 2])), y=tensor([1, 2])).agrees("y")
    case(returned(PLAIN, y=tensor([1, 2])), again=returned(PLAIN, y=tensor([1, 2])), y=tensor([1, 2])).agrees(
        "y"
    )


def test_a_wrong_value_is_named_with_its_case() -> None:
    wrong = case(returned(PLAIN, y=tensor([1])), y=tensor([1, 2]))
    assert finding(lambda: wrong.agrees("y")) == "`y`: expected shape (2,), got (1,). Case: B=2, T=3."


def test_a_value_that_did_not_come_is_wrong() -> None:
    missing = case(returned(PLAIN), y=tensor([1, 2]))
    assert finding(lambda: missing.agrees("y")) == (
        "`y`: expected a tensor of shape (2,), got None. Case: B=2, T=3."
    )


def test_a_name_that_is_not_reported_or_not_expected_is_the_checks_own_fault() -> None:
    silent = case(returned(PLAIN, y=tensor([1])), y=tensor([1]))
    for ask in (
        silent.off,
        silent.agrees,
        silent.value,
        silent.flag,
        silent.texts,
        silent.array,
        silent.gradients,
    ):
        with pytest.raises(KeyError):
            ask("z")
    with pytest.raises(KeyError):
        case(returned(PLAIN, y=None)).agrees("y")


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (Answer(PLAIN.id, "absent", message="add"), "nothing named `add` was found."),
        (
            Answer(PLAIN.id, "unfit", message="returned None, expected a tensor"),
            "returned None, expected a tensor. Case: B=2, T=3.",
        ),
        (
            Answer(PLAIN.id, "stopped", message="did not come back within 10 s and was stopped"),
            "your code did not come back within 10 s and was stopped. Case: B=2, T=3.",
        ),
        (
            raising(PLAIN, "RuntimeError", message="shapes differ", line=LINE),
            (
                "it raised RuntimeError: shapes differ (add.py, line 7: scores = q @ k) "
                "while it was asked to call add. Case: B=2, T=3."
            ),
        ),
    ],
)
def test_what_did_not_come_to_its_end_is_said_by_every_question(answer: Answer, words: str) -> None:
    asked = case(answer, y=tensor([1]))
    for ask in (
        asked.agrees,
        asked.finite,
        asked.gradients,
        asked.array,
        asked.value,
        asked.flag,
        asked.texts,
    ):
        assert finding(lambda ask=ask: ask("y")) == words  # type: ignore[misc]
    assert (
        finding(asked.returned) == finding(asked.untouched) == finding(lambda: asked.pictures("y")) == words
    )


def test_the_same_question_in_another_process_must_get_the_same_answer() -> None:
    right = returned(PLAIN, y=tensor([1, 2]))
    other = case(right, again=returned(PLAIN, y=tensor([1, 5])), y=tensor([1, 2]))
    assert finding(lambda: other.agrees("y")) == (
        "the same call in a fresh process gave another answer. `y`: differs most at [1]: expected 2, got 5 "
        "(1 of 2 numbers is off by more than 1.321e-05). Case: B=2, T=3."
    )
    ended = case(right, again=raising(PLAIN, "KeyError", message="'memo'"), y=tensor([1, 2]))
    assert finding(lambda: ended.agrees("y")) == (
        "the same call in a fresh process ended otherwise: it raised KeyError: 'memo' "
        "while it was asked to call add. Case: B=2, T=3."
    )


# --- refuses ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "answer",
    [
        raising(PLAIN, "ValueError", "Exception", message="widths 12 and 14 do not fit"),
        raising(PLAIN, "MyError", "ValueError", message="(2,12) @ (14,10)"),
        raising(PLAIN, "AssertionError"),
    ],
)
def test_a_value_error_that_names_the_numbers_or_an_assert_refuses(answer: Answer) -> None:
    case(answer).refuses(12, 14)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (returned(PLAIN, y=tensor([1])), "expected a ValueError, but nothing was raised. Case: B=2, T=3."),
        (
            Answer(PLAIN.id, "unfit", message="x"),
            "expected a ValueError, but nothing was raised. Case: B=2, T=3.",
        ),
        (
            raising(PLAIN, "TypeError", message="no", line=LINE),
            "expected a ValueError, got TypeError: no (add.py, line 7: scores = q @ k). Case: B=2, T=3.",
        ),
        (
            raising(PLAIN, "ValueError", message="they do not fit"),
            "the ValueError should name both numbers, 12 and 14; it says: 'they do not fit'",
        ),
        (
            raising(PLAIN, "ValueError", message="12 is not 144"),
            "the ValueError should name both numbers, 12 and 14; it says: '12 is not 144'",
        ),
        (Answer(PLAIN.id, "absent", message="add"), "nothing named `add` was found."),
        (
            Answer(PLAIN.id, "stopped", message="crashed the process that runs it (SIGSEGV)"),
            "your code crashed the process that runs it (SIGSEGV). Case: B=2, T=3.",
        ),
        (
            raising(PLAIN, "AssertionError", message="self-test", during="import"),
            "while it was imported, it raised AssertionError: self-test.",
        ),
    ],
)
def test_what_is_no_refusal_is_said(answer: Answer, words: str) -> None:
    assert finding(lambda: case(answer).refuses(12, 14)) == words


# --- inputs, gradients, devices -----------------------------------------------------------------


def test_changed_inputs_are_named() -> None:
    case(returned(PLAIN)).untouched()
    assert finding(case(returned(PLAIN, changed=["x", "mask"])).untouched) == (
        "inputs should stay as they are; the call changed `x`, `mask`. Case: B=2, T=3."
    )


def test_gradients_that_come_and_are_right_pass() -> None:
    right = case(returned(GRADED, d_x=tensor([1, 2])), GRADED, d_x=tensor([1, 2]))
    right.gradients("d_x")
    right.finite("d_x")


def test_a_gradient_that_does_not_come_is_said_to_be_cut() -> None:
    for want in (tensor([1, 2]), seal(tensor([1, 2]))):
        cut = case(returned(GRADED, d_x=None), GRADED, d_x=want)
        words = "no gradient reaches `x`: the graph is cut on its way. Case: B=2, T=3."
        assert finding(lambda: cut.gradients("d_x")) == finding(lambda: cut.finite("d_x")) == words  # noqa: B023


def test_a_zero_gradient_need_not_come_to_be_finite_but_must_to_be_right() -> None:
    for want in (tensor([0, 0]), seal(tensor([0, 0]))):
        none = case(returned(GRADED, d_x=None), GRADED, d_x=want)
        none.finite("d_x")
        with pytest.raises(Finding):
            none.gradients("d_x")


def test_a_wrong_gradient_is_told_as_a_value_is() -> None:
    wrong = case(returned(GRADED, d_x=tensor([1, 3])), GRADED, d_x=tensor([1, 2]))
    assert finding(lambda: wrong.gradients("d_x")) == (
        "the gradient of `x`: differs most at [1]: expected 2, got 3 "
        "(1 of 2 numbers is off by more than 1.321e-05). Case: B=2, T=3."
    )
    wrong.finite("d_x")


def test_a_gradient_with_holes_is_not_finite() -> None:
    holes = case(returned(GRADED, d_x=tensor([1, NAN, float("inf")])), GRADED, d_x=tensor([1, 2, 3]))
    assert finding(lambda: holes.finite("d_x")) == (
        "the gradient of `x` is NaN or infinite in 2 of 3 places. Case: B=2, T=3."
    )


ELSEWHERE = probe(device="portable")


def test_another_device_will_do() -> None:
    case(returned(ELSEWHERE, y=tensor([1], device="portable")), ELSEWHERE, y=tensor([1])).portable("y")


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (
            raising(ELSEWHERE, "RuntimeError", message="not on this device"),
            "it raised RuntimeError: not on this device while it was asked to call add. Case: B=2, T=3.",
        ),
        (
            returned(ELSEWHERE, y=tensor([2], device="portable")),
            (
                "`y`: differs most at [0]: expected 1, got 2 (1 of 1 numbers is off by more than 6.607e-06). "
                "Case: B=2, T=3."
            ),
        ),
        (
            returned(ELSEWHERE, y=tensor([1])),
            "`y` came back on cpu, the inputs were on another device.",
        ),
        (
            raising(
                ELSEWHERE,
                "RuntimeError",
                message="expected all tensors to be on the same device\nmore",
                line=LINE,
            ),
            (
                "a tensor or weight stays on the CPU when the inputs are on another device (add.py, line 7): "
                "expected all tensors to be on the same device"
            ),
        ),
        (
            Answer(ELSEWHERE.id, "stopped", message="crashed the process that runs it (SIGSEGV)"),
            "your code crashed the process that runs it (SIGSEGV). Case: B=2, T=3.",
        ),
        (
            raising(ELSEWHERE, "NameError", message="name 'troch' is not defined", during="import"),
            "while it was imported, it raised NameError: name 'troch' is not defined.",
        ),
    ],
)
def test_what_stays_behind_on_another_device_is_said(answer: Answer, words: str) -> None:
    assert finding(lambda: case(answer, ELSEWHERE, y=tensor([1])).portable("y")) == words


# --- values of other kinds ----------------------------------------------------------------------


def test_an_array_is_a_tensors_numbers_alone() -> None:
    assert np.array_equal(case(returned(PLAIN, y=tensor([1, 2]))).array("y"), [1.0, 2.0])
    odd = case(returned(PLAIN, y=OtherValue("numpy.ndarray", "numpy.ndarray of shape (3,)")))
    assert finding(lambda: odd.array("y")) == (
        "`y` should be a tensor, got numpy.ndarray of shape (3,). Case: B=2, T=3."
    )
    meta = case(returned(PLAIN, y=TensorValue("float64", (2,), "meta", "Tensor", None)))
    assert (
        finding(lambda: meta.array("y"))
        == "`y` should be a tensor, got a tensor of shape (2,). Case: B=2, T=3."
    )


@pytest.mark.parametrize(
    ("value", "flag", "texts"),
    [
        (True, True, ()),
        (False, False, ()),
        (1, False, ()),
        (None, False, ()),
        (SequenceValue("list", 0, ()), False, ()),
        (SequenceValue("list", 2, ("scale", 3)), True, ("scale", "3")),
    ],
)
def test_facts_are_true_or_lists_with_something_in_them(
    value: Any, flag: bool, texts: tuple[str, ...]
) -> None:
    told = case(returned(PLAIN, y=value))
    assert (told.flag("y"), told.texts("y"), told.value("y")) == (flag, texts, value)


def test_where_weights_have_no_names_nothing_can_be_asked() -> None:
    lost = case(Answer("p", "unfit", message="no weight named W", during="names"))
    for ask in (
        lost.returned,
        lost.refuses,
        lost.untouched,
        lambda: lost.agrees("y"),
        lambda: lost.portable("y"),
    ):
        with pytest.raises(Unreached, match="waits for weights that can be found by their names"):
            ask()


def test_weights_under_other_names_are_a_finding_of_their_own() -> None:
    case(returned(PLAIN)).names()
    renamed = replace(returned(PLAIN), renamed=(("scale", "W"),))
    assert finding(case(renamed).names) == "judged under scale; rename it to W"


def test_pictures_are_those_of_a_figure() -> None:
    assert case(returned(PLAIN, y=FigureValue(()))).pictures("y") == ()
    assert finding(lambda: case(returned(PLAIN, y=None)).pictures("y")) == (
        "expected a matplotlib Figure, got None. Case: B=2, T=3."
    )


def test_inputs_and_own_words_are_at_hand() -> None:
    asked = probe(tensors={"x": np.ones(3)})
    assert case(returned(asked), asked).input("x").sum() == 3
    assert str(case(returned(asked), asked).fail("too long")) == "too long. Case: B=2, T=3."
