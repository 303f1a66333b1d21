"""The statistics of a quiz: the figures, what they are read from, and what is said about them."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from grader.core.errors import InputError
from grader.quiz.bank.bank import Bank, read_bank
from grader.quiz.drawing.draw import draw
from grader.quiz.drawing.drawn import DrawnChoice
from grader.quiz.stats.analysis import analyse, matrix_of
from grader.quiz.stats.choices import chosen, read_sheets
from grader.quiz.stats.figures import (
    Matrix,
    alpha,
    alpha_interval,
    discrimination,
    half,
    median,
    rest,
    scores,
    spread,
    thirds,
)
from grader.quiz.stats.flags import question_flags
from grader.quiz.stats.page import render_page
from grader.quiz.stats.report import OptionFigures, QuestionFigures, StatsReport
from grader.quiz.stats.results import ReadRecord, Results, question_ids, read_results
from grader.quiz.stats.terminal import render
from grader.quiz.stats.words import to_look_at, too_few

# Learners A to F, four questions. By hand:
#             q1  q2  q3  q4   sum    without q3
#   A          1   1   1   1    4        3
#   B          1   1   1   0    3        2
#   C          1   1   0   0    2        2
#   D          1   0   0   0    1        1
#   E          1   1   1   0    3        2
#   F          0   0   0   0    0        0
#   right    5/6 4/6 3/6 1/6
# The sum: mean 13/6, squares 39, deviations 39 - 169/6 = 65/6, so variance 65/36 (divided by n), 13/6 (by n - 1).
# KR-20 = 4/3 (1 - (5/36 + 8/36 + 9/36 + 5/36) / (65/36)) = 4/3 (1 - 27/65) = 152/195.
# q3 against the rest: products 7 - 3 * 10/6 = 2; deviations 3/2 and 22 - 100/6 = 16/3; r = 2 / sqrt(8) = 1/sqrt(2).
BY_HAND = np.array(
    [[1, 1, 1, 1], [1, 1, 1, 0], [1, 1, 0, 0], [1, 0, 0, 0], [1, 1, 1, 0], [0, 0, 0, 0]], dtype=np.float64
)
# Forty learners, six questions; the figures beside it are those of pingouin 0.7.0.
ROWS = """
    111111 000000 111010 100001 001100 101010 000000 111000 100000 111111 010101 010111 000101 100000 100010 100011
    111001 100001 111110 000000 100111 011111 111111 011100 010101 010000 111111 000101 010010 111111 000110 000100
    111011 001111 001101 111111 000000 111111 000001 000100
"""
FORTY = np.array([[int(digit) for digit in row] for row in ROWS.split()], dtype=np.float64)
HOLES = np.fromfunction(lambda row, column: (7 * row + 3 * column) % 11 == 0, FORTY.shape)


def matrix(shares: np.ndarray[Any, Any], weights: list[float] | None = None) -> Matrix:
    ids = tuple(f"q{place}" for place in range(1, shares.shape[1] + 1))
    return Matrix(ids, shares, np.array(weights or [1.0] * len(ids)))


def record(learner: str, points: list[float | str | None], **more: Any) -> dict[str, Any]:
    """A record; None is a question the learner was not asked, a word an outcome without points."""
    questions = []
    for place, value in enumerate(points, 1):
        if value is None:
            continue
        earned = value if isinstance(value, int | float) else 0.0
        word = value if isinstance(value, str) else ("incorrect", "partial", "correct")[math.ceil(2 * earned)]
        questions.append(
            {"id": f"q{place}", "outcome": word, "points": earned, "max_points": 1.0, "message": ""}
        )
    return {"version": 1, "quiz": "tiny", "learner": learner, "score": 0, "max_score": 0, "needs_review": 0,
            "questions": questions, **more}  # fmt: skip


def report_of(rows: list[list[float | str | None]]) -> StatsReport:
    records = tuple(ReadRecord.model_validate(record(f"L{n}", row)) for n, row in enumerate(rows))
    return analyse(Results("tiny", records))


# --- the figures ---------------------------------------------------------------------------------


def test_the_example_worked_by_hand() -> None:
    report = report_of(BY_HAND.tolist())
    assert [question.difficulty for question in report.questions] == pytest.approx(
        [5 / 6, 4 / 6, 3 / 6, 1 / 6]
    )
    assert report.questions[2].discrimination == pytest.approx(1 / math.sqrt(2))
    assert report.test.alpha == pytest.approx(152 / 195)
    assert report.test.mean == pytest.approx(13 / 24)
    assert report.test.sd == pytest.approx(math.sqrt(13 / 6) / 4)
    assert report.test.standard_error == pytest.approx(math.sqrt(13 / 6) / 4 * math.sqrt(43 / 195))
    assert report.test.histogram == (1, 0, 1, 0, 0, 1, 0, 2, 0, 1)


def test_against_an_independent_library() -> None:
    assert alpha(FORTY) == pytest.approx(0.7163513513513512)
    found = [discrimination(matrix(FORTY), place) for place in range(6)]
    expected = [0.32297112, 0.52864753, 0.6073416, 0.29562889, 0.56516071, 0.39358511]
    assert [item.r for item in found if item] == pytest.approx(expected, abs=1e-8)
    assert [(item.low, item.high) for item in found if item][2] == pytest.approx((0.36, 0.77), abs=0.005)


def test_missing_cells_against_an_independent_library() -> None:
    assert HOLES.sum() == 22
    assert alpha(np.where(HOLES, np.nan, FORTY)) == pytest.approx(0.7417267180905872)


def test_the_interval_agrees_with_the_one_from_theory() -> None:
    interval = alpha_interval(FORTY)
    assert interval is not None
    assert interval == pytest.approx((0.555, 0.833), abs=0.08)  # Feldt's, by pingouin
    assert alpha_interval(FORTY) == interval
    assert alpha_interval(FORTY, seed=1) != interval
    assert alpha_interval(FORTY[::-1]) == interval


def test_points_count_by_their_worth() -> None:
    shares = np.array([[1.0, 0.0, 0.5], [0.0, 1.0, 1.0]])
    assert scores(matrix(shares, [1, 2, 4])).tolist() == pytest.approx([3 / 7, 6 / 7])
    assert rest(matrix(shares, [1, 2, 4]), 2).tolist() == pytest.approx([1 / 3, 2 / 3])
    assert matrix(shares, [1, 2, 4]).points[0].tolist() == [1, 0, 2]


def test_thirds_and_halves_keep_equals_together() -> None:
    groups = thirds(np.array([1.0, 2, 2, 2, 3, 4, np.nan]))
    assert groups is not None
    assert groups[0].tolist() == [False, False, False, False, True, True, False]
    assert groups[1].tolist() == [True, True, True, True, False, False, False]
    assert half(np.array([1.0, 2, 2, 3])).tolist() == [False, True, True, True]
    assert thirds(np.array([1.0, 1, 1, 1, 2])) is None
    assert thirds(np.array([1.0, 2])) is None
    assert not half(np.ones(5)).any()
    assert not half(np.full(3, np.nan)).any()
    assert median([]) is None
    assert median([3.0, 1.0, 8.0]) == 3.0


@pytest.mark.parametrize(
    ("points", "words"),
    [
        (np.ones((1, 4)), "one learner"),
        (np.ones((5, 1)), "one question"),
        (np.ones((5, 4)), "all right"),
        (np.zeros((5, 4)), "all wrong"),
        (np.full((5, 4), np.nan), "nothing marked"),
        (np.zeros((0, 0)), "nothing at all"),
        (np.array([[1.0, np.nan], [0.0, np.nan], [np.nan, 1.0], [np.nan, 0.0]]), "nobody has two questions"),
    ],
)
def test_no_spread_is_no_reliability(points: np.ndarray[Any, Any], words: str) -> None:
    assert alpha(points) is None, words
    assert alpha_interval(points) is None, words


def test_a_constant_question_has_no_discrimination_and_stays_in_alpha() -> None:
    shares = np.column_stack([BY_HAND, np.ones(6)])
    assert discrimination(matrix(shares), 4) is None
    assert alpha(shares) == pytest.approx(5 / 4 * 38 / 65)  # variances as by hand, five questions
    assert discrimination(matrix(BY_HAND[:2]), 3) is None
    assert discrimination(matrix(BY_HAND[:3, 2:]), 0) is not None
    assert spread(np.full(3, np.nan)) == (None, None)
    assert spread(np.array([0.5])) == (0.5, None)


marks = hnp.arrays(
    np.float64, st.tuples(st.integers(3, 12), st.integers(2, 6)), elements=st.sampled_from([0.0, 0.5, 1.0])
)


@given(marks, st.randoms(use_true_random=False))
def test_no_figure_depends_on_the_order_of_the_learners(points: np.ndarray[Any, Any], chance: Any) -> None:
    order = list(range(len(points)))
    chance.shuffle(order)
    assert alpha(points[order]) == pytest.approx(alpha(points))
    for place in range(points.shape[1]):
        one, other = (discrimination(matrix(rows), place) for rows in (points, points[order]))
        assert (one is None) == (other is None)
        assert one is None or other is None or one.r == pytest.approx(other.r)


@given(marks, st.integers(2, 5))
def test_parallel_questions_are_perfectly_reliable(points: np.ndarray[Any, Any], copies: int) -> None:
    assume(np.ptp(points[:, 0]) > 0)
    assert alpha(np.column_stack([points[:, 0]] * copies)) == pytest.approx(1.0)


@given(marks)
def test_alpha_is_at_most_one_and_knows_no_unit(points: np.ndarray[Any, Any]) -> None:
    found = alpha(points)
    assume(found is not None and found > -50)
    assert found is not None
    assert found <= 1 + 1e-9
    assert alpha(3 * points + np.arange(points.shape[1])) == pytest.approx(found)
    with_an_empty_sheet = np.vstack([points, np.full(points.shape[1], np.nan)])
    assert alpha(with_an_empty_sheet) == pytest.approx(found)


@given(marks)
def test_a_question_turned_round_discriminates_the_other_way(points: np.ndarray[Any, Any]) -> None:
    turned = points.copy()
    turned[:, 0] = 1 - turned[:, 0]
    one, other = discrimination(matrix(points), 0), discrimination(matrix(turned), 0)
    assert (one is None) == (other is None)
    assert one is None or other is None or one.r == pytest.approx(-other.r)


# --- whole reports -------------------------------------------------------------------------------


def test_answers_that_wait_stay_out_and_are_counted() -> None:
    rows: list[list[float | str | None]] = [[1, 1, "needs_review"], [0, 0, 1], [1, 0, "unanswered"]]
    third = report_of(rows).questions[2]
    assert (third.sheets, third.answered, third.waiting, third.difficulty) == (3, 2, 1, 0.5)
    assert "one answer waits for a person and is left out: grader quiz review" in report_of(rows).test.flags
    mean = report_of(rows).test.mean
    assert mean == pytest.approx((1 + 1 / 3 + 1 / 3) / 3)


def test_learners_with_different_questions() -> None:
    rows: list[list[float | str | None]] = [
        [1, 1, 1, None],
        [0, 1, 0, None],
        [1, 0, 1, None],
        [0, 0, 0, 1],
    ] * 4
    report = report_of(rows)
    assert [question.sheets for question in report.questions] == [16, 16, 16, 4]
    assert report.test.alpha_questions == 3
    assert report.test.standard_error is None
    assert "reliability is that of 3 questions; the others are on too few sheets" in report.test.flags
    assert report.questions[3].flags == ("too few sheets (n=4) to say",)
    apart = report_of([[1, None, None], [None, 0, None], [None, None, 1]] * 5)
    assert apart.test.alpha is None
    assert "no reliability: most sheets have no two marked questions in common" in apart.test.flags


@pytest.mark.parametrize(
    "rows", [[[1, 1, 0]], [[1, 1]] * 12, [[0, 0]] * 12, [[1]] * 12, [[]], [[None, "needs_review"]] * 11]
)
def test_degenerate_results_have_a_report_in_every_form(rows: list[list[float | str | None]]) -> None:
    report = report_of(rows)
    assert json.loads(report.to_json())["sheets"] == len(rows)
    assert report.test.alpha is None
    assert report.test.flags
    assert render(report, width=80, colour=False)
    assert "</html>" in render_page(report)


def test_the_report_says_what_the_class_is_too_small_for() -> None:
    report = report_of([[1, 0], [0, 1], [1, 1]])
    assert report.test.flags == ("too few sheets (n=3) to say",)
    assert [question.flags for question in report.questions] == [("too few sheets (n=3) to say",)] * 2
    assert to_look_at(report) == ()
    assert too_few(report) == "Too few sheets to say anything of a single question."
    mixed = report_of([[1, 0], [0, None], [1, None]] * 5)
    assert too_few(mixed) == "Too few marked sheets to say: q2 (5)."


def test_a_question_is_worth_what_most_records_say() -> None:
    values = [record("a", [1]), record("b", [1]), record("c", [1])]
    values[0]["questions"][0] |= {"max_points": 4.0, "points": 2.0}
    records = tuple(ReadRecord.model_validate(value) for value in values)
    found = matrix_of(records)
    assert found.weights.tolist() == [1.0]
    assert found.shares.tolist() == [[0.5], [1.0], [1.0]]
    assert question_ids(records) == ("q1",)


def test_time_is_the_median_of_what_is_known() -> None:
    values = [record(name, [1]) for name in "abcd"]
    for value, seconds in zip(values, (10, 50, 20.5, None), strict=True):
        value["questions"][0]["seconds"] = seconds
    report = analyse(Results("tiny", tuple(ReadRecord.model_validate(value) for value in values)))
    assert report.questions[0].seconds == 20.5


# --- flags ---------------------------------------------------------------------------------------


def figures(**fields: Any) -> QuestionFigures:
    usual: dict[str, Any] = {
        "id": "q", "kind": "multiple_choice", "max_points": 1, "sheets": 30, "answered": 30, "waiting": 0,
        "difficulty": 0.6, "discrimination": 0.4, "discrimination_interval": (0.1, 0.7), "seconds": None,
    }  # fmt: skip
    return QuestionFigures(**{**usual, **fields})


def option(letter: str, chosen: int, *, key: bool = False, strong: int = 0) -> OptionFigures:
    return OptionFigures(
        letter=letter, text="", key=key, chosen=chosen, upper=0, lower=0, strong_in_error=strong
    )


OPTIONS = (option("a", 18, key=True), option("b", 12, strong=3), option("c", 0))


@pytest.mark.parametrize(
    ("fields", "flags"),
    [
        ({}, ()),
        ({"sheets": 12, "waiting": 5}, ("too few sheets (n=7) to say",)),
        ({"difficulty": 1.0, "discrimination": None}, ("everybody is right: it tells nothing about who knows more",)),
        ({"difficulty": 0.96}, ("nearly everybody is right: it tells little",)),
        ({"difficulty": 0.0, "discrimination": None}, ("nobody is right: is it taught, and is the key right?",)),
        ({"difficulty": 0.06}, ("hardly anybody is right: is it taught, and is the key right?",)),
        (
            {"discrimination": -0.25, "discrimination_interval": (-0.5, 0.1)},
            ("the better learners do worse here: read it again",),
        ),
        (
            {"discrimination": -0.12, "discrimination_interval": (-0.2, -0.05)},
            ("the better learners do worse here: read it again",),
        ),
        (
            {"discrimination": -0.05, "discrimination_interval": (-0.4, 0.3)},
            ("the better learners do no better here (it may be chance): read it again",),
        ),
        ({"discrimination": 0.05}, ("strong and weak learners do alike here: it tells them apart little",)),
        ({"answered": 20}, ("10 of 30 left it blank: is it unclear, or too long?",)),
        ({"options": OPTIONS, "choices": 30, "strong": 15}, ("nobody chose c",)),
        ({"options": OPTIONS, "choices": 9, "strong": 4}, ()),
        (
            {"options": (option("a", 5, key=True), option("b", 25, strong=8)), "choices": 30, "strong": 15},
            ("most of the strong half chose b: is the key wrong?",),
        ),
        ({"options": (option("a", 5, key=True), option("b", 25, strong=3)), "choices": 8, "strong": 4}, ()),
        ({"kind": "true_false", "options": (option("true", 30, key=True), option("false", 0)), "choices": 30}, ()),
    ],
)  # fmt: skip
def test_what_is_said_about_a_question(fields: dict[str, Any], flags: tuple[str, ...]) -> None:
    assert question_flags(figures(**fields)) == flags


def test_what_is_said_about_the_whole() -> None:
    noise = np.random.default_rng(0).integers(0, 2, (30, 4)).astype(float)
    assert report_of([[1, 0]] * 12).test.flags == ("all have the same score: it tells nobody apart",)
    assert report_of([[1], [0]] * 6).test.flags == ("one question alone has no reliability",)
    assert (
        report_of([[1, 0], [0, 1], [1, 0.5]] * 5)
        .test.flags[0]
        .startswith("the questions contradict each other")
    )
    assert (
        report_of(noise.tolist()).test.flags[-1]
        == "the reliability is known only roughly: more sheets would help"
    )
    assert report_of(FORTY.tolist()).test.flags == ()
    weak = report_of(FORTY[:, :3].tolist()).test
    assert weak.alpha is not None
    assert weak.alpha < 0.7
    assert weak.flags[0] == "reliable enough for practice, not for a grade that counts"


# --- results -------------------------------------------------------------------------------------


def test_records_in_any_arrangement(tmp_path: Path) -> None:
    one, two, three = (record(name, [1, 0]) for name in ("a", "b", "c"))
    (tmp_path / "one.json").write_text(json.dumps(one, indent=2))
    (tmp_path / "lines.jsonl").write_text(f"\ufeff{json.dumps(two)}\r\n\n{json.dumps(three)}\n", "utf-8")
    (tmp_path / "list.json").write_text(json.dumps([record("d", [1]), record("e", [0], another="field")]))
    read = read_results([tmp_path / "one.json", tmp_path / "lines.jsonl", tmp_path / "list.json"])
    assert [item.learner for item in read.records] == ["a", "b", "c", "d", "e"]
    assert read.warnings == ()


def test_a_record_given_twice_counts_once_and_nameless_ones_each(tmp_path: Path) -> None:
    lines = [
        record("a", [1]),
        record("a", [1]),
        record("b", [1]),
        record("b", [0]),
        record("", [1]),
        record("", [1]),
    ]
    path = tmp_path / "all.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    read = read_results([path])
    assert [item.learner for item in read.records] == ["a", "b", "b", "", ""]
    assert read.warnings == (
        "one record stands there twice and counts once",
        "more than one record of b; each counts as a sheet of its own",
    )


def changed(**fields: Any) -> str:
    value = record("a", [1])
    value["questions"][0] |= fields
    return json.dumps(value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no record in it"),
        ("[]", "no record in it"),
        ("{", "line 1: not valid JSON"),
        ('{"version": 1}', "not a marked record"),
        ('"text"', "not a marked record"),
        ('{"learner": "a", "answers": {}}', "a sheet, not a marked record"),
        ("learner: a\nanswers: {}", "not valid JSON"),
        (changed(points=float("nan")), "NaN is no number"),
        (changed(points=1e400), "Infinity is no number"),
        (changed(points="1"), "`questions.0.points`"),
        (changed(points=True), "`questions.0.points`"),
        (changed(points=-1), "`questions.0.points`"),
        (changed(points=2), "2 points of 1"),
        (changed(outcome="right"), "`questions.0.outcome`"),
        (changed(id=""), "`questions.0.id`"),
        (json.dumps(record("a", [1], version=2)), "`version`"),
        (
            json.dumps(record("a", [1], questions=record("a", [1])["questions"] * 2)),
            "'q1' stands there twice",
        ),
        ('{"version": 1, "version": 1}', "a field stands there twice"),
        (
            json.dumps(record("a", [1])) + json.dumps(record("b", [1], quiz="other")),
            "give the results of one quiz",
        ),
        ("[" * 100_000, "nested too deeply"),
        ('{"version": ' + "1" * 5_000 + "}", "not a marked record"),
        (b"\xff\xfe{".decode("latin-1"), "not valid JSON"),
    ],
)
def test_results_that_cannot_be_used_are_one_line(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "results.json"
    path.write_text(text, "utf-8")
    with pytest.raises(InputError) as caught:
        read_results([path])
    assert words in str(caught.value)
    assert "results.json" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_files_that_are_none(tmp_path: Path) -> None:
    (tmp_path / "latin.json").write_bytes('{"quiz": "é"}'.encode("latin-1"))
    for path, words in (
        (tmp_path / "missing.json", "cannot be read (No such file"),
        (tmp_path, "cannot be read (Is a directory"),
        (tmp_path / "latin.json", "byte 10 is not UTF-8"),
        (Path("nul\0"), "cannot be read"),
    ):
        with pytest.raises(InputError, match=re.escape(words)):
            read_results([path])


def test_one_file_that_cannot_be_used_does_not_stop_the_others(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.json", tmp_path / "bad.jsonl"
    good.write_text(json.dumps(record("a", [1])))
    bad.write_text(f"{json.dumps(record('b', [1]))}\n{{")
    read = read_results([bad, good, tmp_path / "missing.json"])
    assert [item.learner for item in read.records] == ["a"]  # half of a file is none of it
    assert [line.split(":")[0] for line in read.warnings] == ["left out", "left out"]
    assert ["bad.jsonl, line 2" in read.warnings[0], "missing.json" in read.warnings[1]] == [True, True]
    with pytest.raises(InputError, match=r"bad\.jsonl, line 2: .* \(and 1 more that cannot be used\)"):
        read_results([bad, tmp_path / "missing.json"])


def test_one_sheet_that_cannot_be_used_does_not_stop_the_others(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, [{"q1": "a"}])
    (tmp_path / "empty.yaml").write_text("")
    (tmp_path / "none").mkdir()
    found = read_sheets([tmp_path / "empty.yaml", tmp_path / "none", folder], records_of(1))
    assert sorted(found.by_record) == [0]
    assert len(found.warnings) == 2


# --- who chose what ------------------------------------------------------------------------------

BANK = """
version: 1
quiz: tiny
title: A tiny quiz
lesson: tiny
check: [q1]
questions:
  - {id: q1, kind: multiple_choice, objective: o, difficulty: easy, prompt: "Which is $x^2$?", explanation: e,
     options: [{text: "four", correct: true}, {text: "<b>five</b>"}, {text: "six"}]}
  - {id: q2, kind: true_false, objective: o, difficulty: easy, prompt: Is it?, explanation: e, answer: false}
  - {id: q3, kind: multiple_choice, objective: o, difficulty: easy, prompt: Which?, explanation: e, shuffle: true,
     options: [{text: "one", correct: true}, {text: "two"}, {text: "three"}, {text: "many"}]}
  - {id: q4, kind: multiple_choice, objective: o, difficulty: easy, prompt: "All of {{ n }}?", explanation: e,
     select: many, given: {n: [2, 3]},
     options: [{text: even, correct: n == 2}, {text: odd, correct: n == 3}, {text: small, correct: true}]}
  - {id: q5, kind: numeric, objective: o, difficulty: easy, prompt: How many?, explanation: e, answer: 7}
"""


@pytest.fixture
def bank(tmp_path: Path) -> Bank:
    folder = tmp_path / "quizzes"
    folder.mkdir()
    (folder / "tiny.yaml").write_text(BANK)
    return read_bank(folder / "tiny.yaml")


def folder_of(tmp_path: Path, sheets: list[dict[str, Any]]) -> Path:
    folder = tmp_path / "sheets"
    folder.mkdir(exist_ok=True)
    for number, answers in enumerate(sheets):
        (folder / f"{number:02}.json").write_text(json.dumps({"learner": f"L{number}", "answers": answers}))
    return folder


def records_of(count: int) -> tuple[ReadRecord, ...]:
    return tuple(
        ReadRecord.model_validate(record(f"L{n}", [1.0 * (n % 2), 0, 0, 0, 0])) for n in range(count)
    )


def test_every_way_to_choose_is_counted(tmp_path: Path, bank: Bank) -> None:
    (q3,) = bank.select(["q3"])
    drawn = draw(q3, 0, "L1")
    assert isinstance(drawn, DrawnChoice)
    two = next(item.letter for item in drawn.options if item.text == "two")
    sheets = [
        {"q1": "(a)", "q2": "no", "q3": "two", "q4": ["even", "small"], "q5": "8"},
        {"q1": "<b>five</b>", "q2": "true", "q3": two, "q4": "c", "q5": " 8 "},
        {"q1": "B.", "q2": "perhaps", "q4": "-", "q5": "7"},
        {"q1": "something else", "q5": {"a": "mapping"}},
    ]
    found = read_sheets([folder_of(tmp_path, sheets)], records_of(4))
    assert sorted(found.by_record) == [0, 1, 2, 3]
    assert found.warnings == ()
    choices = chosen(found, bank, ["q1", "q2", "q3", "q4", "q5", "unknown"])
    assert list(choices) == ["q1", "q2", "q3", "q4", "q5"]
    assert choices["q1"].labels == (("a", "four"), ("b", "<b>five</b>"), ("c", "six"))
    assert [sorted(pick.places) for pick in choices["q1"].picks.values()] == [[0], [1], [1], []]
    assert choices["q2"].labels == (("true", ""), ("false", ""))
    assert [sorted(pick.places) for pick in choices["q2"].picks.values()] == [[1], [0], []]
    assert {pick.keys for pick in choices["q2"].picks.values()} == {frozenset({1})}
    assert [sorted(pick.places) for pick in choices["q3"].picks.values()] == [[1], [1]]
    assert [sorted(pick.places) for pick in choices["q4"].picks.values()] == [[0, 2], [2]]
    assert all(2 in pick.keys and len(pick.keys) == 2 for pick in choices["q4"].picks.values())
    assert choices["q5"].written == {0: "8", 1: "8", 2: "7", 3: "a mapping"}


def test_a_wrong_key_is_found_from_what_the_strong_half_chose(tmp_path: Path, bank: Bank) -> None:
    rows: list[list[float | str | None]] = []
    sheets = []
    for number in range(24):
        strong = number < 12
        rows.append(
            [0 if strong else number % 2, int(strong), int(number % 3 > 0), int(strong or number % 4 == 0), 0]
        )
        sheets.append(
            {
                "q1": "b" if strong else "ac"[(number + 1) % 2],
                "q2": "no",
                "q5": "8" if number < 5 else str(number),
            }
        )
    records = tuple(ReadRecord.model_validate(record(f"L{n}", row)) for n, row in enumerate(rows))
    found = chosen(read_sheets([folder_of(tmp_path, sheets)], records), bank, question_ids(records))
    report = analyse(Results("tiny", records), bank, found)
    first, last = report.questions[0], report.questions[4]
    assert report.title == "A tiny quiz"
    assert first.flags[:2] == (
        "most of the strong half chose b: is the key wrong?",
        "the better learners do worse here: read it again",
    )
    assert [item.chosen for item in first.options] == [6, 12, 6]
    assert [item.key for item in first.options] == [True, False, False]
    assert first.options[1].strong_in_error == 12
    assert (first.options[1].upper, first.options[1].lower) == (first.upper, 0)
    assert [(item.text, item.count) for item in last.written] == [("8", 6)]


def test_sheets_that_cannot_be_told_apart_are_left_out_with_a_word(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, [{"q1": "a"}, {"q1": "b"}])
    (folder / "again.yaml").write_text("learner: L1\nanswers: {q1: c}\n")
    (folder / "notes.json").write_text("{}")
    found = read_sheets([folder], records_of(3))
    assert sorted(found.by_record) == [0]
    assert len(found.warnings) == 2
    assert found.warnings[0].startswith("left out: ")
    assert found.warnings[1].startswith("1 of 3 records")
    with pytest.raises(InputError, match="answers"):
        read_sheets([folder / "notes.json"], records_of(3))
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="no sheet in it"):
        read_sheets([tmp_path / "empty"], records_of(3))
