"""Draws: the same for the same seed, learner and question, and never with two equal options."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

from grader.core.errors import LessonError
from grader.quiz.drawing.chance import Chance
from grader.quiz.drawing.draw import count, draw, draws, values_at, variants
from grader.quiz.drawing.drawn import (
    DrawnChoice,
    DrawnCode,
    DrawnFill,
    DrawnMatching,
    DrawnNumeric,
    DrawnOrdering,
    DrawnShape,
    DrawnShort,
    DrawnTrueFalse,
)
from grader.quiz.drawing.sameness import clash, same
from grader.quiz.questions.questions import Question

READER: TypeAdapter[Question] = TypeAdapter(Question)
SIZES = {"h": [2, 4, 8], "d_model": [32, 64, 96]}


def question(kind: str, **fields: Any) -> Question:
    common = {"id": "q-1", "objective": "split", "difficulty": "easy", "prompt": "P", "explanation": "E"}
    return READER.validate_python({**common, "kind": kind, **fields})


def choice(*texts: str, **fields: Any) -> Question:
    options = [{"text": text, "correct": place == 0} for place, text in enumerate(texts)]
    return question("multiple_choice", options=options, **fields)


# --- chance --------------------------------------------------------------------------------------


def test_chance_never_changes() -> None:
    stream = Chance("values", 7, "Ada", "kc-01")
    assert [stream.below(1000) for _ in range(8)] == [548, 998, 241, 188, 864, 847, 653, 183]
    assert list(Chance("é\ud800", 0).order(10)) == [2, 3, 8, 0, 9, 6, 4, 7, 1, 5]


def test_chance_depends_on_each_part_and_on_where_it_ends() -> None:
    streams = [("a", "b"), ("ab",), ("a", "b", ""), ("a", "c"), ("b", "a"), (1,), ("1",)]
    assert len({tuple(Chance(*parts).order(20)) for parts in streams}) == len(streams)


@given(st.integers(0, 40), st.integers())
def test_an_order_holds_each_number_once(size: int, seed: int) -> None:
    assert sorted(Chance(seed).order(size)) == list(range(size))


def test_every_order_is_as_likely_as_the_next() -> None:
    orders = Counter(tuple(Chance(seed).order(3)) for seed in range(6000))
    assert len(orders) == 6
    assert all(abs(found - 1000) < 150 for found in orders.values())  # five standard deviations


# --- values --------------------------------------------------------------------------------------


def test_given_let_and_where_make_the_values() -> None:
    asked = choice("1", "2", given=SIZES, let={"d_k": "d_model // h", "twice": "2 * d_k"}, where=["d_k > 8"])
    assert count(asked) == 9
    assert values_at(asked, 0) == {"h": 2, "d_model": 32, "d_k": 16, "twice": 32}
    assert values_at(asked, 5) == {"h": 4, "d_model": 96, "d_k": 24, "twice": 48}
    assert values_at(asked, 6) is None  # 32 // 8 = 4


def test_given_may_be_texts_truths_and_decimals() -> None:
    asked = choice("{{ side }}", "{{ 2 * x }}", given={"side": ["left"], "x": [0.1], "bias": [True]})
    drawn = draw(asked)
    assert drawn.values == {"side": "left", "x": "0.1", "bias": "True"}
    assert [option.text for option in drawn.options] == ["left", "0.2"]


# --- the draw ------------------------------------------------------------------------------------


def test_a_draw_fills_every_text() -> None:
    asked = question(
        "multiple_choice",
        prompt="{{ h }} heads, $d = {{ d_model }}$",
        explanation="{{ d_model }} / {{ h }}",
        given={"h": [8], "d_model": [64]},
        points=2,
        step="project",
        tags=["shapes"],
        options=[
            {
                "text": "{{ d_model // h }}",
                "correct": "h == 8",
                "feedback": "{{ h }}!",
                "also": ["d = {{ h }}"],
            },
            {"text": "{{ d_model }}", "correct": "h != 8"},
        ],
    )
    drawn = draw(asked)
    assert isinstance(drawn, DrawnChoice)
    assert (drawn.id, drawn.objective, drawn.difficulty, drawn.points) == ("q-1", "split", "easy", 2)
    assert (drawn.step, drawn.tags, drawn.variant) == ("project", ("shapes",), 0)
    assert (drawn.prompt, drawn.explanation) == ("8 heads, $d = 64$", "64 / 8")
    first, second = drawn.options
    assert (first.letter, first.place, first.text, first.correct) == ("a", 0, "8", True)
    assert (first.feedback, first.also) == ("8!", ("d = 8",))
    assert (second.letter, second.place, second.text, second.correct) == ("b", 1, "64", False)


def test_draws_never_change() -> None:
    asked = choice("{{ d_model // h }}", "{{ h }}", "{{ d_model }}", given=SIZES, shuffle=True)
    found = [draw(asked, seed, learner) for seed, learner in [(0, ""), (1, ""), (0, "Ada"), (0, "ada")]]
    assert [(drawn.variant, "".join(str(option.place) for option in drawn.options)) for drawn in found] == [
        (8, "102"),
        (2, "102"),
        (1, "012"),
        (3, "201"),
    ]


@given(st.integers(), st.text(max_size=20))
def test_a_question_without_parameters_is_itself_for_everyone(seed: int, learner: str) -> None:
    asked = choice("8", "64", "512")
    assert draw(asked, seed, learner) == draw(asked)


def test_every_usable_draw_is_some_learner_s() -> None:
    asked = choice("{{ d_model // h }}", "{{ h }}", given=SIZES)
    wanted = {drawn.variant for drawn in draws(asked) if drawn is not None}
    assert wanted == set(range(9)) - {7}  # 64 // 8 = 8
    assert {draw(asked, 3, f"learner {number}").variant for number in range(200)} == wanted


def test_the_order_shown_is_as_if_no_draw_had_been_passed_over() -> None:
    free = choice("{{ h }}", "1", "x", given={"h": [2, 3]}, shuffle=True)
    bound = choice("{{ h }}", "1", "x", given={"h": [2, 3]}, where=["h == 2"], shuffle=True)
    for learner in "abcdefgh":
        shown = [[option.place for option in draw(asked, 0, learner).options] for asked in (free, bound)]
        assert shown[0] == shown[1]


def test_equal_options_are_passed_over() -> None:
    asked = choice("{{ d_model // h }}", "{{ h }}", "{{ d_model / 8 }}", given=SIZES)
    kept = [drawn for drawn in draws(asked) if drawn is not None]
    # not (4, 32): 4 = 32 / 8; none with 8 heads: d_model // h = d_model / 8
    assert [drawn.variant for drawn in kept] == [0, 1, 2, 4, 5]
    assert {draw(asked, seed).variant for seed in range(100)} == {0, 1, 2, 4, 5}


EXPRESSIONS = st.sampled_from(
    ["h", "d_model", "d_model // h", "d_model / h", "h * 2", "4 * h", "8", "{{", "h ** 2", "d_model - h"]
).map(lambda text: f"{{{{ {text} }}}}" if text != "{{" else "(B, {{ h }})")


@settings(max_examples=150, deadline=None)
@given(
    st.lists(EXPRESSIONS | st.sampled_from(["8", "8.0", "$h$", "H", "2·4", "2*4"]), min_size=2, max_size=5),
    st.integers(),
    st.text(max_size=8),
    st.booleans(),
)
def test_no_draw_has_two_equal_options(texts: list[str], seed: int, learner: str, shuffle: bool) -> None:
    asked = choice(*texts, given=SIZES, shuffle=shuffle)
    usable = [drawn for drawn in draws(asked) if drawn is not None]
    if not usable:
        with pytest.raises(LessonError, match=r"question 'q-1': no draw of it can be used"):
            draw(asked, seed, learner)
        return
    drawn = draw(asked, seed, learner)
    assert drawn == draw(asked, seed, learner)
    assert drawn.variant in {one.variant for one in usable}
    assert len({same(option.text) for option in drawn.options}) == len(texts)
    assert sorted(option.place for option in drawn.options) == list(range(len(texts)))
    assert [option.letter for option in drawn.options] == list("abcde"[: len(texts)])
    assert [option.place for option in drawn.options if option.correct] == [0]


def test_a_value_that_cannot_be_computed_is_told() -> None:
    with pytest.raises(LessonError, match=r"question 'q-1': `1 / \(h - 2\)`: division by zero"):
        draw(choice("a b", "{{ x }}", given={"h": [2]}, let={"x": "1 / (h - 2)"}))


# --- variants ------------------------------------------------------------------------------------


def test_variants_are_different_draws() -> None:
    asked = choice("{{ d_model // h }}", "{{ h }}", given=SIZES)
    found = variants(asked, seed=5)
    assert sorted(drawn.variant for drawn in found) == [0, 1, 2, 3, 4, 5, 6, 8]  # 64 // 8 = 8
    assert found == variants(asked, seed=5)
    assert [drawn.variant for drawn in found] != [drawn.variant for drawn in variants(asked, seed=6)]
    assert variants(asked, seed=5, limit=4) == found[:4]
    with pytest.raises(LessonError, match="no draw of it can be used"):
        variants(choice("{{ h }}", "{{ h }}", given=SIZES))


def test_a_question_without_parameters_has_one_variant() -> None:
    assert variants(choice("8", "64")) == (draw(choice("8", "64")),)


# --- the kinds -----------------------------------------------------------------------------------


def test_a_statement_may_hold_or_not_with_the_draw() -> None:
    asked = question(
        "true_false",
        prompt="{{ h }} divides {{ d_model }}",
        answer="d_model % h == 0",
        feedback={True: "no rest with {{ h }}", False: "a rest"},
        given={"h": [3, 4], "d_model": [64]},
    )
    three, four = draws(asked)
    assert isinstance(three, DrawnTrueFalse)
    assert isinstance(four, DrawnTrueFalse)
    assert (three.answer, four.answer) == (False, True)
    assert four.feedback == {True: "no rest with 4", False: "a rest"}


def test_a_number_is_exact_and_no_trap_counts_as_it() -> None:
    asked = question(
        "numeric",
        answer="d_model / h",
        tolerance={"absolute": 0.5, "relative": 0.125},
        unit="numbers",
        units=["floats"],
        traps=[{"answer": "2 * h", "feedback": "{{ h }} twice"}],
        given={"h": [4, 6], "d_model": [32, 40, 64]},
    )
    found = {drawn.variant: drawn for drawn in draws(asked) if drawn is not None}
    # 32 / 4 = 8 = 2 * 4; 40 / 4 is 10, off by 2 > 1.25; 32 / 6, 40 / 6 and 64 / 6 are far from 12 but the last
    assert sorted(found) == [1, 2, 3, 4]
    drawn = found[4]
    assert isinstance(drawn, DrawnNumeric)
    assert drawn.answer == Fraction(40, 6)
    assert (drawn.absolute, drawn.relative, drawn.unit, drawn.units) == (0.5, 0.125, "numbers", ("floats",))
    assert (drawn.traps[0].answer, drawn.traps[0].feedback) == (12, "6 twice")


@given(st.integers(), st.integers(3, 6))
def test_items_are_never_shown_in_the_right_order(seed: int, size: int) -> None:
    items = [f"stage {number}" for number in range(size)]
    drawn = draw(question("ordering", items=items), seed)
    assert isinstance(drawn, DrawnOrdering)
    assert [item.place for item in drawn.items] != list(range(size))
    assert [item.text for item in sorted(drawn.items, key=lambda item: item.place)] == items
    assert [item.letter for item in drawn.items] == list("abcdef"[:size])


def test_the_right_of_a_left_is_the_one_of_its_place() -> None:
    pairs = [{"left": "$d_k$", "right": "{{ d_k }}"}, {"left": "$h$", "right": "{{ h }}"}]
    asked = question(
        "matching", pairs=pairs, distractors=["{{ 2 * h }}"], given={"h": [4], "d_k": [4, 8, 16]}
    )
    drawn = draw(asked, 1)
    assert isinstance(drawn, DrawnMatching)
    assert drawn.values["d_k"] == "16"  # 4 = h and 8 = 2 * h are passed over
    assert drawn.lefts == ("$d_k$", "$h$")
    assert {right.place: right.text for right in drawn.rights} == {0: "16", 1: "4", 2: "8"}
    assert len({tuple(right.place for right in draw(asked, seed).rights) for seed in range(40)}) == 6


def test_a_shape_is_drawn_in_numbers() -> None:
    asked = question(
        "shape",
        answer="(B, h, T, d_model // h)",
        also=["(B, h, T, d_k)"],
        traps=[{"answer": "(B, d_model // h, T, h)", "feedback": "{{ h }}"}],
        given={"h": [8, 4], "d_model": [64]},
    )
    found = [drawn for drawn in draws(asked) if drawn is not None]
    assert len(found) == 1  # with 8 heads of width 8 the trap is the answer
    drawn = found[0]
    assert isinstance(drawn, DrawnShape)
    assert drawn.answer == ("B", "4", "T", "16")
    assert drawn.also == (("B", "4", "T", "d_k"),)
    assert (drawn.traps[0].answer, drawn.traps[0].feedback) == (("B", "16", "T", "4"), "4")


def test_blanks_code_and_sentences_are_filled() -> None:
    given_h = {"given": {"h": [4]}}
    blanks = [{"accept": ["{{ h }}", "four"], "feedback": "it is {{ h }}"}]
    filled = draw(question("fill", blanks=blanks, **given_h))
    assert isinstance(filled, DrawnFill)
    assert (filled.blanks[0].accept, filled.blanks[0].feedback) == (("4", "four"), "it is 4")
    code = draw(
        question("code_reading", code="\n  a = {{ h }}\n  b\n\n", ask="output", prints=["{{ h }}"], **given_h)
    )
    assert isinstance(code, DrawnCode)
    assert (code.code, code.prints, code.lines, code.options) == ("  a = 4\n  b", ("4",), (), ())
    rubric = {"concepts": [{"id": "join", "says": "it joins", "said": ["join"]}]}
    short = draw(question("short_answer", rubric=rubric, model="It joins {{ h }} heads.", **given_h))
    assert isinstance(short, DrawnShort)
    assert short.model == "It joins 4 heads."
    assert short.rubric.concepts[0].id == "join"


@pytest.mark.parametrize(
    ("left", "right", "equal"),
    [
        ("8", "8.0", True),
        ("8", "$8$", True),
        ("h·d_k", r"$h \cdot d_k$", True),
        ("Softmax", "soft max", True),
        ("1/2", "0.5", True),
        ("`8`", "8", True),
        ("$d_{model}$", "`d_model`", True),
        ("8", "64", False),
        ("h*d_k", "d_k", False),
        ("(B, T)", "(B, T, 1)", False),
    ],
)
def test_what_looks_or_counts_the_same_is_the_same(left: str, right: str, equal: bool) -> None:
    assert (same(left) == same(right)) is equal
    assert (clash(draw(choice(left, right))) is not None) is equal
