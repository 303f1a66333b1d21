"""Marking, kind by kind, on small questions of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from grader.quiz.bank.bank import Bank
from grader.quiz.drawing.draw import draw
from grader.quiz.english.phrases import Finder, Line
from grader.quiz.english.words import Reader
from grader.quiz.expressions.notation import Notation, folded, plain
from grader.quiz.expressions.terms import term
from grader.quiz.marking.mark import SheetMarker, mark_sheet
from grader.quiz.marking.marking import Marking
from grader.quiz.marking.sheet import Sheet
from grader.quiz.questions.marked import Verdict
from grader.quiz.questions.rubric_model import Rubric

NOTATION = {
    "W_O": ("out_proj",),
    "d_k": ("head_dim",),
    "d_model": ("embed_dim",),
    "h": ("num_heads",),
    "B": ("batch",),
}
Mark = Callable[[object], Verdict]


def bank(*questions: str) -> Bank:
    """A bank of these questions, each given by its own lines of YAML."""
    common = {"objective": "all", "difficulty": "easy", "prompt": "What?", "explanation": "That."}
    parsed = [{"id": f"q-{i}", **common, **yaml.safe_load(text)} for i, text in enumerate(questions)]
    data = {"version": 1, "quiz": "toy", "title": "Toy", "lesson": "toy", "notation": NOTATION}
    return Bank.model_validate({**data, "check": [q["id"] for q in parsed], "questions": parsed})


def marker(question: str) -> Mark:
    made = bank(question)
    drawn, marking = draw(made.questions[0]), Marking(made)
    return lambda answer: marking.mark(drawn, answer)


def outcomes(mark: Mark, wanted: dict[str, list[Any]]) -> list[str]:
    """What came out otherwise."""
    return [
        f"{answer!r}: {mark(answer).outcome}, not {outcome}"
        for outcome, answers in wanted.items()
        for answer in answers
        if mark(answer).outcome != outcome
    ]


def test_true_or_false_in_every_dress() -> None:
    mark = marker("{kind: true_false, answer: true, feedback: {true: 'Yes.', false: 'No.'}}")
    wanted = {
        "correct": [
            True, "true", "True.", "TRUE", "yes", "Y", "t", "on", "1", 1, "'yes'", '"True"', "it's true", "Ture",
            "of course", "the answer is yes", ["true"], "True, because of the shapes",
        ],
        "incorrect": [False, "false", "F", "no", "n", "off", 0, "0", "No.", "nope", "not true", "fasle",
        "of course not"],
        "needs_review": [
            "mostly true", "true and false", "true, but not always", "it depends", "true?", "not false", "2", "banana",
            "true in most cases", "True if h > 1", "yes and no", "maybe", ["true", "false"],
        ],
        "unanswered": [None, "", "-", "idk"],
    }  # fmt: skip
    assert outcomes(mark, wanted) == []
    assert mark("yes").message == "Yes."
    assert mark("no").message == "No."


SIGNS = """
kind: true_false
answer: false
signs: {holds: [optional, useless], fails: [needed, learned]}
"""


def test_an_explanation_that_holds_with_the_other_answer_is_for_a_person() -> None:
    wanted = {
        "correct": ["false, it is learned", "No: it's not optional", "false because it is needed"],
        "incorrect": ["true, it is useless", "yes, not needed"],
        "needs_review": ["true, it is learned", "false, it is useless"],
    }
    assert outcomes(marker(SIGNS), wanted) == []


CHOICE = r"""
kind: multiple_choice
options:
  - {text: "$h \\cdot d_k$", correct: true, feedback: "All heads.", also: [h * d_v]}
  - {text: "$d_k$", feedback: "One head."}
  - {text: softmax}
"""


def test_a_choice_by_letter_or_text() -> None:
    wanted = {
        "correct": [
            "a", "A.", "(a)", "a)", "option a", "Answer: A", "h*d_k", "h·d_k", "h x d_k", "num_heads * d_k", "d_k h",
            "$h \\cdot d_k$", "a) h*d_k", "h times head_dim", "h*d_v", ["a"], ["a", "A"], "a, because heads are joined",
        ],
        "incorrect": ["b", "d_k", "softmax", "a and b", ["a", "b"], "z", "the softmax", "b) d_k"],
        "needs_review": ["(a) d_k", "not b", "a? or b", "big", "b = h*d_k", "h + d_k", "a, I mean b", "wide"],
    }  # fmt: skip
    mark = marker(CHOICE)
    assert outcomes(mark, wanted) == []
    assert mark("b").message == "One head."
    assert mark("a and b").message == "Two options at once; one was asked for."


NUMBERS = """
kind: multiple_choice
options: [{text: '3'}, {text: '1', correct: true}, {text: '2'}]
"""


LISTS = """
kind: multiple_choice
options:
  - {text: '`[0, 1, 0]`', correct: true}
  - {text: '`[1, 0, 0]`'}
  - {text: the output and `None`}
  - {text: It is not so.}
"""


def test_an_options_own_text_comes_before_any_reading_of_it() -> None:
    wanted = {
        "correct": ["[0, 1, 0]", ["0", "1", "0"], "a", "[0, 1, 0]."],
        "incorrect": ["[1, 0, 0]", "the output and None", "output and `None`", "It is not so", "(c)"],
        "needs_review": ["[0, 0, 1]", "a or d?"],
    }
    assert outcomes(marker(LISTS), wanted) == []


def test_a_bare_number_is_an_options_text_and_never_its_index() -> None:
    wanted = {
        "correct": [1, "1", "1.0", "b", "3/3", "x = 1", "3 - 2 = 1", "b) 1"],
        "incorrect": [3, 2, "a", 17, "6/2"],
        "needs_review": ["a) 1", "1 or something"],
    }
    assert outcomes(marker(NUMBERS), wanted) == []


SEVERAL = """
kind: multiple_choice
select: many
partial: each
options: [{text: red, correct: true}, {text: green}, {text: blue, correct: true}, {text: grey}]
"""


def test_all_that_apply_earns_right_ones_less_wrong_ones() -> None:
    mark = marker(SEVERAL)
    assert mark(["a", "c"]).share == mark("a, c").share == mark("blue and red").share == mark("ac").share == 1
    assert (mark("a").outcome, mark("a").share) == ("partial", 0.5)
    assert (mark("a, b, c").outcome, mark("a, b, c").share) == ("partial", 0.5)
    assert (mark("all of the above").outcome, mark("all of the above").share) == ("incorrect", 0)
    assert mark("b").outcome == mark("none of the above").outcome == "incorrect"
    assert mark("something else").outcome == "needs_review"
    strict = marker(SEVERAL.replace("partial: each", "partial: none"))
    assert strict("a").outcome == "incorrect"


NUMERIC = """
kind: numeric
answer: 16384
unit: multiply-adds
units: [MACs]
tolerance: {relative: 0.01}
traps: [{answer: 32768, feedback: A multiply-add is one here.}]
"""


def test_a_number_with_and_without_its_unit() -> None:
    wanted = {
        "correct": [
            16384, "16384", "16,384", "16 384", "1.6384e4", "2**14", "2^14", "128*128", "16384 MACs",
            "16400 multiply-adds", "= 16384", "4 * 64 * 64 = 16384", "the answer is 16384.",
        ],
        "incorrect": [16000, "1,638", "-16384", 32768, "0"],
        "needs_review": ["about 16384", "16384 bananas", "many", "16384 or 32768", "1/0", "16384 MB"],
    }  # fmt: skip
    mark = marker(NUMERIC)
    assert outcomes(mark, wanted) == []
    assert mark("32768").message == "A multiply-add is one here."


def test_a_decimal_comma_is_read() -> None:
    mark = marker("{kind: numeric, answer: 0.125}")
    assert (
        outcomes(mark, {"correct": ["0,125", "0.125", "1/8", ".125"], "incorrect": ["0,25", "1,250"]}) == []
    )


def test_a_shape_in_symbols() -> None:
    mark = marker(
        '{kind: shape, answer: "(B, h, T, d_k)", traps: [{answer: "(B, T, h, d_k)", feedback: Swap.}]}'
    )
    wanted = {
        "correct": [
            "(B, h, T, d_k)", "[B,h,T,d_k]", "B, h, T, d_k", "B x h x T x d_k", "(batch, num_heads, T, head_dim)",
            ["B", "h", "T", "d_k"], "torch.Size([B, h, T, d_k])", "$(B, h, T, d_k)$", "the shape is (B, h, T, d_k).",
        ],
        "incorrect": ["(B, T, h, d_k)", "(B, h, T)", "(B, h, d_k, T)", "(B, h, T, d_k + 1)"],
        "needs_review": ["(B, h, seq, d_k)", "it is four-dimensional"],
    }  # fmt: skip
    assert outcomes(mark, wanted) == []
    assert mark("(B, T, h, d_k)").message == "Swap."


def test_a_shapes_own_names_are_symbols() -> None:
    mark = marker('{kind: shape, answer: "(B, Tq, Tk)"}')
    assert outcomes(mark, {"correct": ["(B, Tq, Tk)", "B x Tq x Tk"], "incorrect": ["(B, Tk, Tq)"]}) == []


def test_a_shape_in_numbers() -> None:
    text = 'kind: shape\ngiven: {h: [4], d: [64]}\nanswer: "(2, h, 10, d // h)"\n'
    wanted = {"correct": ["(2, 4, 10, 16)", "2 x 4 x 10 x 16"], "incorrect": ["(2, 10, 4, 16)"]}
    assert outcomes(marker(text), wanted) == []


ORDERING = "{kind: ordering, partial: adjacent, items: [project, split heads, attend, join]}"


def test_an_order_by_letters_or_texts() -> None:
    made = bank(ORDERING)
    drawn, marking = draw(made.questions[0], 3, "Ada"), Marking(made)
    letters = [part.letter for part in sorted(drawn.items, key=lambda part: part.place)]  # type: ignore[union-attr]

    def outcome(answer: object) -> str:
        return marking.mark(drawn, answer).outcome

    for right in (
        letters, ", ".join(letters), "".join(letters), " > ".join(letters).upper(), " -> ".join(letters),
        ["project", "split heads", "attend", "join"], "1. project\n2. split heads\n3. attend\n4. join",
        "project, then split heads, then attend, then join",
    ):  # fmt: skip
        assert outcome(right) == "correct", right
    swapped = [letters[0], letters[1], letters[3], letters[2]]
    verdict = marking.mark(drawn, swapped)
    assert (verdict.outcome, verdict.share) == ("partial", 1 / 3)
    assert outcome(letters[::-1]) == "incorrect"
    assert outcome(letters[:3]) == outcome([*letters[:3], letters[0]]) == "incorrect"
    assert outcome("first project and so on") == "needs_review"


MATCHING = """
kind: matching
partial: each
pairs: [{left: B, right: batch size}, {left: T, right: tokens}, {left: h, right: heads in all}]
distractors: [layers]
"""


def test_pairs_by_number_and_letter_or_by_text() -> None:
    made = bank(MATCHING)
    drawn, marking = draw(made.questions[0], 1, "Ada"), Marking(made)
    letter = {part.place: part.letter for part in drawn.rights}  # type: ignore[union-attr]
    right = [letter[0], letter[1], letter[2]]
    pairs = [f"{number}{name}" for number, name in enumerate(right, 1)]
    for answer in (
        right, pairs, " ".join(pairs), ", ".join(f"{p[0]}-{p[1]}" for p in pairs),
        "; ".join(f"{p[0]} = {p[1]}" for p in pairs),
        list(reversed(pairs)), ["batch size", "tokens", "heads in all"], ", ".join(right),
    ):  # fmt: skip
        assert marking.mark(drawn, answer).outcome == "correct", answer
    verdict = marking.mark(drawn, [letter[0], letter[2], letter[1]])
    assert (verdict.outcome, verdict.share) == ("partial", 1 / 3)
    assert marking.mark(drawn, [letter[3], letter[0], letter[1]]).outcome == "incorrect"
    assert marking.mark(drawn, "who knows").outcome == "needs_review"
    assert marking.mark(drawn, "9a").outcome == "needs_review"


FILL = """
kind: fill
partial: each
prompt: 'Scale by 1 / [[1]], then [[2]].'
blanks: [{accept: [sqrt(d_k), root of d_k], feedback: The root.}, {accept: [softmax]}]
"""


def test_blanks() -> None:
    mark = marker(FILL)
    wanted = {
        "correct": [
            ["sqrt(d_k)", "softmax"], "sqrt(d_k); softmax", "sqrt(d_k), softmax", ["$\\sqrt{d_k}$", "Softmax"],
            ["sqrt(head_dim)", "SOFTMAX"], "1. root of d_k\n2. softmax",
        ],
        "partial": [["d_k", "softmax"], ["", "softmax"]],
        "needs_review": [["sqrt(d_k)", "softmin"], "softmax", ["sqrt(d_k)", "softmax", "more"]],
    }  # fmt: skip
    assert outcomes(mark, wanted) == []
    assert mark(["d_k", "softmax"]).message == "The root."
    assert mark(["d_k", "softmax"]).share == 0.5


def test_the_line_of_a_piece_of_code() -> None:
    mark = marker("kind: code_reading\ncode: |\n  a = 1\n  b = a / 0\n  c = 2\nask: line\nlines: [2]\n")
    wanted = {
        "correct": [2, "2", "line 2", "L2", "Line 2."],
        "incorrect": [1, "line 3"],
        "needs_review": ["1 or 2", "b"],
    }
    assert outcomes(mark, wanted) == []


def test_what_code_prints() -> None:
    mark = marker("kind: code_reading\ncode: print(x.shape)\nask: output\nprints: ['torch.Size([2, 8])']\n")
    wanted = {
        "correct": ["torch.Size([2, 8])", "torch.size([2,8])", "(2, 8)", "[2, 8]"],
        "incorrect": ["(8, 2)", "torch.Size([8, 2])", "2"],
        "needs_review": ["two times eight"],
    }
    assert outcomes(mark, wanted) == []


RUBRIC = """
kind: short_answer
prompt: What comes after the heads?
model: It joins them and projects.
rubric:
  words: {join: [join, concatenate, put .. side by side], head: [head, output]}
  concepts:
    - {id: join, says: they are joined, said: ["{join}"], near: [combine]}
    - {id: project, says: they are projected, said: [w_o, project]}
  order: [join, project]
  wrong:
    - {says: No average., said: [average], reverses: true}
    - {says: No softmax., said: [softmax]}
  doubt: [roughly]
  ignore: [weighted average]
  clues: [matrix]
  otherwise: incorrect
"""


def test_a_short_answer_by_its_rubric() -> None:
    wanted = {
        "correct": [
            "It joins the heads and projects them", "concatenates, then W_O", "JOIN -> W_O",
            "concatentes the heads, projcts",
            "puts the outputs of all of them side by side and multiplies by $W_O$",
            "not averaged but joined, then projected",
            "joins instead of averaging and projects", "W_O applied to the joined heads", ["join", "W_O"],
            "before it projects, it joins", "after joining, the weighted average is projected",
        ],
        "partial": ["it joins the heads", "W_O"],
        "incorrect": [
            "it averages them", "averages, then W_O", "W_O first, then join", "it applies softmax",
            "it does not join them",
            "it goes home", "projects before joining", "joins or averages",
        ],
        "needs_review": [
            "joins, projects and averages", "joins the heads but does not project", "it combines them",
            "roughly, it joins and projects", "maybe joins and projects", "some matrix", "joins and softmax",
            "it is not true that it does not join and project", "соединяет and W_O", "zorbs the quux",
            "join project. Not!",
            "joins quux blarg frobs wibble foo projects xyzzy plugh baz", "join project " * 200,
        ],
    }  # fmt: skip
    assert outcomes(marker(RUBRIC), wanted) == []


def test_messages_say_what_is_missing_or_wrong() -> None:
    mark = marker(RUBRIC)
    assert mark("it joins them").message == "A part is right. Missing: they are projected."
    assert mark("it averages them").message == "No average."
    assert mark("W_O first, then join").message == "The order is the other way round."
    assert mark("maybe").message.startswith("For a person to see: ")


def test_a_rubric_that_contradicts_itself_is_refused() -> None:
    concept = {"id": "a", "says": "a", "said": ["a"]}
    for fields, said in (
        ({"concepts": [concept, concept]}, "two concepts have one id"),
        ({"concepts": [concept], "order": ["a", "b"]}, "`order` names 'b'"),
        ({"concepts": [{**concept, "said": ["{b} c"]}]}, "`words` has no list 'b'"),
        ({"concepts": []}, "at least 1 item"),
    ):
        with pytest.raises(ValidationError, match=said):
            Rubric.model_validate(fields)


@pytest.mark.parametrize(
    ("phrase", "text", "found"),
    [
        ("join head", "joins all of the heads", True),
        ("join head", "joins two heads", False),
        ("join .. head", "joins two big heads", True),
        ("join .. head", "joins. heads", False),
        ("join .. head", "joins no heads", False),
        ("merge|join head", "merging heads", True),
        ("posi* code", "positional codes", True),
        ("join head", "jions heads", True),
        ("w_o", "W^{O}", True),
        ("w_o", "Wₒ", True),
        ("w_o", "out_proj", True),
        ("w_o", "two", False),
    ],
)
def test_phrases(phrase: str, text: str, found: bool) -> None:
    reader = Reader(("join", "head", "merge", "code", "w_o"), Notation.of(NOTATION))  # type: ignore[arg-type]
    assert bool(Finder((phrase,), {}).find(Line(reader.read(text)))) is found


def test_a_real_word_is_no_slip() -> None:
    reader = Reader(("project", "heads"), Notation.of({}))
    assert reader.read("protect the heaps").words == ("protect", "the", "heaps")
    assert reader.read("projekt").words == ("project",)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("$W_O$", "W_{O}"),
        (r"\mathrm{Concat}", "Concat"),
        ("d · k", r"d \cdot k"),
        ("“yes”", '"yes"'),
        ("x – y", "x - y"),
    ],
)
def test_dress_comes_off(one: str, other: str) -> None:
    assert plain(one).split() == plain(other).split() or folded(one) == folded(other)


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        ("h*d_k", "d_k h", True), ("2*h", "h + h", True), ("h*d_k", "h + d_k", False), ("8", "64/8", True),
        ("h", "H", True), ("num_heads", "h", True), ("d_model/h", "d_model // h", False),
    ],
)  # fmt: skip
def test_terms_are_equal_by_what_they_come_to(one: str, other: str, equal: bool) -> None:
    notation = Notation.of(NOTATION)  # type: ignore[arg-type]
    assert (term(one, notation) == term(other, notation)) is equal


@pytest.mark.parametrize("text", ["", "some words", "h +", "not h", "__import__('os')", "9**9**9", "h" * 500])
def test_what_is_no_term(text: str) -> None:
    assert term(text, Notation.of(NOTATION)) is None  # type: ignore[arg-type]


EVERY = (
    "{kind: true_false, answer: true}", SIGNS, CHOICE, NUMBERS, SEVERAL, NUMERIC, ORDERING, MATCHING, FILL, RUBRIC,
    "{kind: shape, answer: '(B, T)'}", "{kind: code_reading, code: a, ask: line, lines: [1]}",
    "{kind: code_reading, code: a, ask: output, prints: [b]}",
)  # fmt: skip
TYPED = st.text(alphabet="abc123 ()[]*/=,.;:_^{}$\\hdkW-+?'\"", max_size=40)
TEXTS = st.text(max_size=60)


EVERY_KIND = (bank(*EVERY), Marking(bank(*EVERY)))


@settings(max_examples=60, deadline=None)
@given(
    answer=st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | TEXTS
    | TYPED
    | st.lists(TEXTS, max_size=6)
)
def test_no_answer_breaks_the_marking(answer: object) -> None:
    made, marking = EVERY_KIND
    for question in made.questions:
        verdict = marking.mark(draw(question), answer)
        assert 0 <= verdict.share <= 1
        assert (verdict.outcome == "correct") == (verdict.share == 1)
        assert (verdict.outcome == "partial") == (0 < verdict.share < 1)


def test_the_record_of_a_sheet() -> None:
    made = bank(RUBRIC, CHOICE, "{kind: true_false, answer: true, points: 3}", "{kind: numeric, answer: 1}")
    sheet = Sheet(
        "ada.yaml", "Ada\x1b[31m", {"q-0": "it joins them", "q-1": "big", "q-2": "yes", "q-9": "x", "\x07": 1}
    )
    record = mark_sheet(made, sheet)
    assert record.learner == r"Ada\x1b[31m"
    assert (record.score, record.max_score, record.needs_review) == (3.5, 6.0, 1)
    assert [item.outcome for item in record.questions] == ["partial", "needs_review", "correct", "unanswered"]
    assert [item.max_points for item in record.questions] == [1, 1, 3, 1]
    assert SheetMarker(made).warnings(sheet) == [r"ada.yaml: unknown ids q-9, \x07; the rest is marked"]
    assert SheetMarker(made).warnings(Sheet("a", "a", {"q-0": "x"})) == []


def test_numbers_in_a_record_are_rounded() -> None:
    made = bank(MATCHING)
    drawn = draw(made.questions[0], 0, "Ada")
    right = {part.place: part.letter for part in drawn.rights}  # type: ignore[union-attr]
    record = mark_sheet(made, Sheet("a", "Ada", {"q-0": [right[0], right[2], right[1]]}))
    assert '"points": 0.3333,' in record.to_json()
    assert '"score": 0.3333,' in record.to_json()


def test_a_sheet_is_marked_with_the_draw_that_its_learner_saw() -> None:
    made = bank("{kind: numeric, given: {n: [1, 2, 3, 4, 5, 6, 7, 8, 9]}, answer: n, prompt: 'Say {{ n }}.'}")
    shown = {seed: draw(made.questions[0], seed, "Ada").values["n"] for seed in range(6)}
    assert len(set(shown.values())) > 1
    for seed, value in shown.items():
        assert mark_sheet(made, Sheet("a", "Ada", {"q-0": value}, seed=seed)).score == 1
        assert mark_sheet(made, Sheet("a", "Ada", {"q-0": value}), seed=seed).score == 1
