"""The bank: what its YAML may say, and how an author is told what to correct."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import ValidationError

from grader.core.errors import InputError, LessonError
from grader.quiz.bank import bank as bank_module
from grader.quiz.bank.bank import Bank, bank_schema, find_bank, read_bank
from grader.quiz.bank.checking import usable
from grader.quiz.commands.check import check, schema, summary

GOOD = """\
version: 1
quiz: toy
title: A toy
lesson: toy
notation: {h: [num_heads]}
check: [kc-02, kc-01]
questions:
  - id: kc-01
    kind: short_answer
    objective: both
    difficulty: easy
    prompt: What comes after the heads?
    explanation: The heads are joined.
    rubric:
      concepts: [{id: join, says: it joins the heads, said: [join heads]}]
    model: It joins the heads.
  - id: kc-02
    kind: true_false
    objective: both
    difficulty: easy
    prompt: Is $h = 8$ even?
    explanation: Eight is.
    answer: true
    feedback: {true: "Yes.", false: "Eight is even."}
  - id: choice
    kind: multiple_choice
    objective: both
    difficulty: medium
    points: 2
    step: first
    tags: [shapes]
    prompt: With {{ h }} heads and $d = {{ d }}$, how wide is one?
    explanation: "{{ d }} / {{ h }} = {{ d // h }}."
    given: {h: [2, 4, 8], d: [32, 64]}
    where: [d % h == 0]
    options:
      - {text: "{{ d // h }}", correct: true}
      - {text: "{{ d }}", feedback: "That is the whole width."}
      - {text: "{{ h }}"}
  - id: many
    kind: multiple_choice
    objective: both
    difficulty: medium
    prompt: Which are even?
    explanation: Those that 2 divides.
    select: many
    partial: each
    shuffle: true
    options: [{text: "2", correct: true, also: [two]}, {text: "4", correct: true}, {text: "5"}]
  - id: number
    kind: numeric
    objective: both
    difficulty: hard
    prompt: How many?
    explanation: So many.
    answer: 2 ** 10
    tolerance: {relative: 0.01}
    unit: numbers
    traps: [{answer: 20, feedback: "Not 2 * 10."}]
  - id: order
    kind: ordering
    objective: both
    difficulty: easy
    prompt: Order them.
    explanation: First things first.
    items: [split, attend, join]
  - id: match
    kind: matching
    objective: both
    difficulty: easy
    prompt: Match them.
    explanation: By meaning.
    pairs: [{left: $h$, right: heads}, {left: $B$, right: batch}]
    distractors: [tokens]
  - id: blanks
    kind: fill
    objective: both
    difficulty: easy
    prompt: "$d_k$ = [[1]] / [[2]]"
    explanation: The width is shared out.
    blanks: [{accept: [d_model]}, {accept: [h, num_heads]}]
  - id: shape
    kind: shape
    objective: both
    difficulty: easy
    prompt: What shape?
    explanation: This one.
    answer: (B, h, T, d_k)
    traps: [{answer: "(B, T, h, d_k)", feedback: "Swap."}]
  - id: code
    kind: code_reading
    objective: both
    difficulty: easy
    prompt: Which line is wrong?
    explanation: The second.
    code: |
      a = 1
      b = a +
    ask: line
    lines: [2]
"""
LESSON = """\
version: 1
title: A lesson
module: "1.2"
summary: One sentence.
public_seed: 7
objectives: [{id: both, text: Do both., steps: [first]}]
steps:
  - {id: first, title: The first, file: first.py, points: 2, provides: [{name: thing}], hint: Look.}
"""


def write(root: Path, text: str | bytes = GOOD, name: str = "toy") -> Path:
    path = root / "quizzes" / f"{name}.yaml"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def read(root: Path, text: str | bytes = GOOD) -> Bank:
    return read_bank(write(root, text))


def add_lesson(root: Path) -> None:
    folder = root / "exercises" / "toy"
    folder.mkdir(parents=True)
    (folder / "lesson.yaml").write_text(LESSON, encoding="utf-8")
    (folder / "first.py").write_text("", encoding="utf-8")


def test_a_good_bank_is_read_with_its_defaults(tmp_path: Path) -> None:
    add_lesson(tmp_path)
    bank = read(tmp_path)
    assert (bank.quiz, bank.title, bank.lesson, bank.notation) == (
        "toy",
        "A toy",
        "toy",
        {"h": ("num_heads",)},
    )
    assert [question.kind for question in bank.questions] == [
        "short_answer",
        "true_false",
        "multiple_choice",
        "multiple_choice",
        "numeric",
        "ordering",
        "matching",
        "fill",
        "shape",
        "code_reading",
    ]
    first = bank.questions[0]
    assert (first.points, first.step, first.tags, first.given, first.where) == (1, None, (), {}, ())
    choice = bank.questions[2]
    assert (choice.points, choice.step, choice.tags) == (2, "first", ("shapes",))


def test_a_bank_cannot_be_changed(tmp_path: Path) -> None:
    with pytest.raises(ValidationError, match="frozen"):
        read(tmp_path).questions[0].points = 100


def test_lines_may_end_in_any_way_and_a_byte_order_mark_may_stand_first(tmp_path: Path) -> None:
    plain = read(tmp_path)
    assert read(tmp_path, b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode()) == plain


def test_questions_are_selected_in_the_order_asked_for(tmp_path: Path) -> None:
    bank = read(tmp_path)
    assert [question.id for question in bank.select()] == ["kc-02", "kc-01"]
    assert [question.id for question in bank.select([" Order", "kc-01", "ORDER"])] == ["order", "kc-01"]
    with pytest.raises(InputError, match=r"no question 'ordre' in toy; did you mean 'order'\?"):
        bank.select(["ordre"])


PROBLEMS = {
    "open maths": (
        "Is $h = 8$",
        "Is $h = 8",
        21,
        "question 'kc-02': `prompt`: a `$` without its partner near",
    ),
    "unknown field": ("    model: It", "    modle: It", 16, "question 'kc-01': `modle` is not a field here"),
    "missing field": (
        "    explanation: Eight is.\n",
        "",
        17,
        "question 'kc-02': `explanation` is missing; add it",
    ),
    "unknown field at the top": ("quiz: toy", "quiz: toy\ncolour: red", 3, "`colour` is not a field here"),
    "other version": ("version: 1", "version: 2", 1, "`version`: Input should be 1, found 2"),
    "unknown kind": (
        "kind: true_false",
        "kind: truth",
        17,
        "question 'kc-02': `kind`: Input tag 'truth' found",
    ),
    "no kind": ("    kind: true_false\n", "", 17, "question 'kc-02': `kind`: Unable to extract tag"),
    "odd id": ("id: order", "id: Order_1", 60, "question 'Order_1': `id`: String should match pattern"),
    "number for id": (
        "id: order",
        "id: 7",
        60,
        "question '7': `id`: Input should be a valid string, found 7",
    ),
    "same id": ("id: order", "id: number", 60, "the id 'number' is already taken; choose another"),
    "unknown in check": (
        "[kc-02, kc-01]",
        "[kc-02, kc-03]",
        6,
        "no question has the id 'kc-03'; did you mean",
    ),
    "twice in check": ("[kc-02, kc-01]", "[kc-02, kc-02]", 6, "'kc-02' is listed twice; keep one"),
    "no check": ("[kc-02, kc-01]", "[]", 6, "`check`: Tuple should have at least 1 item"),
    "no points": (
        "points: 2",
        "points: 0",
        29,
        "question 'choice': `points`: Input should be greater than 0",
    ),
    "text for points": (
        "points: 2",
        "points: '2'",
        29,
        "`points`: Input should be a valid number, found '2'",
    ),
    "infinite points": ("points: 2", "points: .inf", 29, "`points`: Input should be a finite number"),
    "other difficulty": (
        "difficulty: hard",
        "difficulty: hardest",
        53,
        "question 'number': `difficulty`: Input",
    ),
    "question a text": (
        "  - id: kc-01",
        "  - nothing\n  - id: kc-01",
        8,
        "`questions.0`: Input should be a valid",
    ),
    "empty prompt": (
        "prompt: Order them.",
        "prompt: ' '",
        64,
        "`prompt`: String should have at least 1 character",
    ),
    "number for prompt": (
        "Order them.",
        "8",
        64,
        "a text is needed, YAML reads the number 8; put it in quotes",
    ),
    "truth for option": (
        'text: "5"',
        "text: true",
        49,
        "a text is needed, YAML reads true; put it in quotes",
    ),
    "number for option": ('text: "5"', "text: 5", 49, "YAML reads the number 5; put it in quotes"),
    "open template": ("$d = {{ d }}$", "$d = {{ d }$", 32, "`prompt`: a `{{` without its `}}`"),
    "call in a template": (
        "With {{ h }}",
        "With {{ f(h) }}",
        32,
        "only abs, max, min, round, sqrt can be called",
    ),
    "unknown name": (
        "With {{ h }}",
        "With {{ k }}",
        32,
        "`k` has no value; add it to `given` or `let` (with h = 2",
    ),
    "broken where": ("d % h == 0", "d %% h", 35, "`where.0`: `d %% h` is not an expression"),
    "number for where": (
        "[d % h == 0]",
        "[d % h]",
        35,
        "gives the number 0 where true or false is needed (with",
    ),
    "division by zero": (
        "d % h == 0",
        "d / (h - 4) > 0",
        35,
        "division by zero (with h = 4, d = 32); correct it",
    ),
    "no draw left": ("d % h == 0", "d < h", 34, "question 'choice': of 6 draws none can be used"),
    "always equal": ('text: "{{ d }}"', 'text: "{{ d / h }}"', 34, "of 6 draws none can be used"),
    "too many draws": (
        "h: [2, 4, 8]",
        f"h: {list(range(1, 502))}",
        34,
        "1002 combinations; keep to 1000",
    ),
    "given twice": ("h: [2, 4, 8]", "h: [2, 4, 2.0]", 34, "`h` has a value twice; keep one"),
    "given for nothing": ("h: [2, 4, 8]", "h: [2], z: [1]", 34, "`z` is used nowhere; use it or remove it"),
    "given empty": ("h: [2, 4, 8]", "h: []", 34, "`given.h`: Tuple should have at least 1 item"),
    "given of lists": ("h: [2, 4, 8]", "h: [[2]]", 34, "a number, a text, true or false is needed"),
    "given infinite": ("h: [2, 4, 8]", "h: [.inf]", 34, "a finite number is needed"),
    "given a function": ("h: [2, 4, 8]", "min: [2]", 34, "'min' cannot be a name in expressions"),
    "given a keyword": ("h: [2, 4, 8]", "lambda: [2]", 34, "'lambda' cannot be a name in expressions"),
    "let is given": (
        "where: [d",
        "let: {h: 3}\n    where: [d",
        35,
        "`h` is in `given` too; choose another name",
    ),
    "no right option": (", correct: true}\n", "}\n", 36, "one option has to be correct, 0 are"),
    "two right options": ('{text: "{{ d }}"', '{text: "{{ d }}", correct: d > 32', 36, "2 are; correct them"),
    "none of many right": (
        'correct: true, also: [two]}, {text: "4", correct: true}',
        'also: [two]}, {text: "4"}',
        49,
        "no option is correct",
    ),
    "one option": (
        """[{text: "2", correct: true, also: [two]}, {text: "4", correct: true}, {text: "5"}]""",
        '[{text: "2", correct: true}]',
        49,
        "`options`: Tuple should have at least 2 items",
    ),
    "equal options": (
        'text: "5"',
        'text: "4.0"',
        40,
        "two options are equal: '4' and '4.0'; tell them apart",
    ),
    "equal wordings": ('text: "5"', 'text: "$Two$"', 40, "two options are equal: '2' and '$Two$'"),
    "option a letter": (
        'text: "5"',
        'text: "A"',
        49,
        "the option 'A' looks like the letter of one; say more",
    ),
    "answer a word": ("answer: true", "answer: maybe", 23, "`maybe` has no value"),
    "answer a number": ("answer: true", "answer: 1", 23, "gives the number 1 where true or false is needed"),
    "feedback to a word": ("{true: ", "{maybe: ", 24, "question 'kc-02': `feedback.maybe"),
    "trap is the answer": (
        "answer: 20,",
        "answer: 1030,",
        50,
        "the trap 1030 counts as the answer; tell them",
    ),
    "negative tolerance": (
        "relative: 0.01",
        "relative: -1",
        57,
        "`tolerance.relative`: Input should be greater",
    ),
    "two items": (
        "[split, attend, join]",
        "[split, join]",
        66,
        "`items`: Tuple should have at least 3 items",
    ),
    "equal items": ("[split, attend, join]", "[split, Join, join]", 60, "two items are equal: 'join'"),
    "equal rights": ("distractors: [tokens]", "distractors: [Batch]", 67, "two rights are equal: 'Batch'"),
    "equal lefts": ("left: $B$", "left: $H$", 67, "two lefts are equal: '$H$'"),
    "blank not asked": ("[[1]] / [[2]]", "[[1]]", 79, "the prompt has to hold each of [[1]], [[2]] once"),
    "blank asked twice": ("[[1]] / [[2]]", "[[1]] [[1]] [[2]]", 79, "has to hold each of [[1]], [[2]] once"),
    "no shape": ("(B, h, T, d_k)\n", "B, h\n", 88, "`B, h` is not a shape such as (B, h, T, d_k)"),
    "shape a list": ("answer: (B, h, T, d_k)\n", "answer: [B, h]\n", 88, "in quotes where it holds `[`"),
    "shape is its trap": ("(B, T, h, d_k)", "(B,h,T,d_k)", 82, "the trap (B, h, T, d_k) is the answer"),
    "no such line": ("lines: [2]", "lines: [3]", 100, "line 3 of a code that has 2"),
    "line 0": ("lines: [2]", "lines: [0]", 100, "`lines.0`: Input should be greater than or equal to 1"),
    "wrong key": ("lines: [2]", "prints: [x]", 99, "`ask: line` and `lines` do not go together; add it"),
    "two keys": ("lines: [2]", "lines: [2]\n    prints: [x]", 99, "`prints` do not go together; remove it"),
    "no code": ("      a = 1\n      b = a +\n", "\n", 96, "`code`: code is needed"),
    "rubric": (
        "said: [join heads]",
        "said: []",
        15,
        "question 'kc-01': `rubric.concepts.0.said`: Tuple should",
    ),
}


@pytest.mark.parametrize("name", PROBLEMS)
def test_a_problem_is_told_with_file_line_question_and_remedy(name: str, tmp_path: Path) -> None:
    old, new, line, words = PROBLEMS[name]
    assert GOOD.count(old) == 1, f"{old!r} has to stand once in the good bank"
    with pytest.raises(LessonError) as caught:
        read(tmp_path, GOOD.replace(old, new))
    message = str(caught.value)
    assert words in message
    assert message.startswith(f"quizzes/toy.yaml, line {line}: ")
    assert "\n" not in message


def test_objective_and_step_are_those_of_the_lesson(tmp_path: Path) -> None:
    add_lesson(tmp_path)
    with pytest.raises(
        LessonError, match=r"line 29: question 'choice': the lesson has no step 'last'; it has first"
    ):
        read(tmp_path, GOOD.replace("step: first", "step: last").replace("    points: 2\n", ""))
    with pytest.raises(
        LessonError, match=r"line 10: question 'kc-01': the lesson has no objective 'all'; it has both"
    ):
        read(tmp_path, GOOD.replace("objective: both", "objective: all", 1))


def test_a_lesson_elsewhere_is_read_from_its_root_and_an_absent_one_is_not_asked(tmp_path: Path) -> None:
    text = GOOD.replace("step: first", "step: last")
    path = write(tmp_path, text)
    assert read_bank(path).questions[2].step == "last"
    add_lesson(tmp_path / "course")
    with pytest.raises(LessonError, match="the lesson has no step 'last'"):
        read_bank(path, tmp_path / "course")


# --- what YAML itself may do --------------------------------------------------------------------

BOMB = "".join(f"x{i}: &x{i} [{', '.join([f'*x{i - 1}'] * 9) if i else 'lol'}]\n" for i in range(9))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (BOMB, "line 1: anchors and aliases (&x0, *x0) are not used; write it out"),
        (GOOD.replace("title: A toy", "title: *x"), "line 3: anchors and aliases (&x, *x) are not used"),
        (
            GOOD.replace("A toy", "!!python/object/apply:os.system [ls]"),
            "line 3: a tag (tag:yaml.org,2002:python/",
        ),
        (GOOD.replace("A toy", "!!str A toy"), "line 3: a tag (tag:yaml.org,2002:str) is not used here"),
        (GOOD.replace("A toy", "!mine A toy"), "line 3: a tag (!mine) is not used here; remove it"),
        (GOOD.replace("A toy", "[" * 40), "line 3: nested more than 30 deep"),
        (GOOD.replace("A toy", "[" * 5000 + "]" * 5000), "line 3: "),
        (
            GOOD.replace('"{{ d }} / {{ h }} = {{ d // h }}."', "{{ d }}"),
            "line 33: a text that begins with `{`",
        ),
        (
            GOOD.replace("title: A toy", "title: A toy\ntitle: B"),
            "line 4: `title` stands here twice; keep one",
        ),
        (
            GOOD.replace("    answer: true", "    answer: true\n    answer: false"),
            "line 24: `answer` stands here twice",
        ),
        (GOOD.replace("A toy", "No"), "line 3: YAML reads `No` as a truth value; put it in quotes"),
        (
            GOOD.replace("answer: true", "answer: yes"),
            "line 23: YAML reads `yes` as a truth value; put it in quotes",
        ),
        (
            GOOD.replace("[split, attend, join]", "[split, off, join]"),
            "line 66: YAML reads `off` as a truth value",
        ),
        (GOOD.replace("[2, 4, 8]", "[no, yes]"), "line 34: YAML reads `no` as a truth value"),
        (GOOD.replace('false: "Eight', 'no: "Eight'), "line 24: YAML reads `no` as a truth value"),
        (GOOD.replace("[2, 4, 8]", "[010]"), "YAML reads `010` as a number written in an unusual way"),
        (GOOD.replace("[2, 4, 8]", "[1_000]"), "YAML reads `1_000` as a number written in an unusual way"),
        (GOOD.replace("[2, 4, 8]", "[12:30]"), "YAML reads `12:30` as a number written in an unusual way"),
        (GOOD.replace("[2, 4, 8]", "[0x10]"), "YAML reads `0x10` as a number written in an unusual way"),
        (GOOD.replace("A toy", "2024-01-02"), "line 3: YAML reads `2024-01-02` as a date; put it in quotes"),
        (GOOD + "---\n" + GOOD, "not valid YAML"),
        (
            GOOD.replace("title: A toy", "title: A: toy"),
            "line 3: not valid YAML (mapping values are not allowed",
        ),
        (GOOD.replace("A toy", "A\0toy"), "not valid YAML"),
        (GOOD.replace("A toy", "9" * 5_000), "a number or a date cannot be read (Exceeds the limit"),
        ("", "line 1: expected fields"),
        ("- a\n- b\n", "line 1: expected fields"),
        (GOOD.encode("utf-16"), "byte 0 is not UTF-8; save the file as UTF-8"),
        (GOOD.replace("A toy", "Ein Spaß").encode("latin-1"), "is not UTF-8; save the file as UTF-8"),
        (b"#" * (8 * 2**20 + 1), "larger than 8 MiB; no bank of questions is"),
    ],
)
def test_what_yaml_would_do_in_silence_is_told(text: str | bytes, words: str, tmp_path: Path) -> None:
    with pytest.raises(LessonError, match=re.escape(words)) as caught:
        read(tmp_path, text)
    assert str(caught.value).startswith("quizzes/toy.yaml")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("word", ['"no"', "'off'", "nope", "n", '"64"', '"2024-01-02"'])
def test_a_text_in_quotes_is_that_text(word: str, tmp_path: Path) -> None:
    bank = read(tmp_path, GOOD.replace("[split, attend, join]", f"[split, {word}, join]"))
    assert bank.questions[5].model_dump()["items"][1] == word.strip("'\"")


def test_a_missing_file_and_a_folder_are_told(tmp_path: Path) -> None:
    with pytest.raises(
        LessonError, match=r"no\.yaml: cannot be read \(No such file or directory\); check the file"
    ):
        read_bank(tmp_path / "no.yaml")
    with pytest.raises(LessonError, match=r"cannot be read \(Is a directory\)"):
        read_bank(tmp_path)


def test_what_would_steer_a_terminal_is_written_out(tmp_path: Path) -> None:
    for text in (
        GOOD.replace("quiz: toy", 'quiz: toy\n"\\e[31m": 1'),
        GOOD.replace("A toy", "!<%1b[31m> A toy"),
    ):
        with pytest.raises(LessonError) as caught:
            read(tmp_path, text)
        assert "\x1b" not in str(caught.value)
        assert "x1b[31m" in str(caught.value)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.integers(0, len(GOOD)),
    st.integers(0, 20),
    st.sampled_from(
        ["", "-", "{", "}", "[", "'", '"', ": ", "&a ", "*a", "!t ", "\n", "  ", "no", "9", "$", "\t", "é"]
    ),
)
def test_a_slip_anywhere_gives_a_bank_or_one_line(tmp_path: Path, place: int, gone: int, piece: str) -> None:
    try:
        bank, message = read(tmp_path, GOOD[:place] + piece + GOOD[place + gone :]), ""
    except LessonError as error:
        bank, message = None, str(error)
    assert (bank is None) is message.startswith("quizzes/toy.yaml")
    assert "\n" not in message


# --- the schema ----------------------------------------------------------------------------------


def faults(text: str) -> list[str]:
    """What the JSON Schema has against a bank, which an editor reads as JSON."""
    data: Any = json.loads(json.dumps(yaml.safe_load(text)))
    return [error.json_path for error in Draft202012Validator(bank_schema()).iter_errors(data)]


def test_the_schema_is_one_and_accepts_the_good_bank() -> None:
    Draft202012Validator.check_schema(bank_schema())
    assert faults(GOOD) == []


def test_the_schema_is_shown_or_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    schema(tmp_path / "bank.json")
    assert capsys.readouterr().out == ""
    schema()
    text = capsys.readouterr().out
    assert json.loads(text) == bank_schema()
    assert (tmp_path / "bank.json").read_text(encoding="utf-8") == text


BY_SCHEMA = {
    "unknown field", "missing field", "unknown field at the top", "other version", "unknown kind", "odd id", "no check",
    "no points", "text for points", "other difficulty", "number for prompt", "truth for option", "given empty",
    "given of lists", "one option", "feedback to a word", "two items", "shape a list", "line 0", "rubric",
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(BY_SCHEMA))
def test_the_schema_tells_an_editor_what_the_reader_would_refuse(name: str) -> None:
    old, new, _, _ = PROBLEMS[name]
    assert faults(GOOD.replace(old, new))


# --- finding and summing up ----------------------------------------------------------------------


def test_the_only_bank_needs_no_name_and_of_several_one_must_be_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bank_module, "find_course", lambda _: tmp_path)
    with pytest.raises(InputError, match="no bank of questions here; name its file"):
        find_bank()
    path = write(tmp_path)
    assert find_bank() == find_bank(Path("toy")) == find_bank(path) == path
    assert find_bank(Path("elsewhere.yaml")) == Path("elsewhere.yaml")
    write(tmp_path, name="other")
    with pytest.raises(InputError, match=r"several lessons have a bank; say which with --lesson: other, toy"):
        find_bank()
    with pytest.raises(InputError, match=r"no bank 'tox' in quizzes/; there is other, toy"):
        find_bank(Path("tox"))
    with pytest.raises(InputError, match=r"no bank 'tox' in quizzes/; there is other, toy"):
        find_bank(lesson="tox")
    assert find_bank(lesson="toy") == find_bank(hint="toy") == path
    with pytest.raises(InputError, match="say which with --lesson"):
        find_bank(hint="tox")
    assert find_bank(Path("toy"), lesson="other", hint="other") == path


def test_without_a_name_every_bank_is_checked_and_a_bad_one_hides_no_good_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bank_module, "find_course", lambda _: tmp_path)
    paths = [write(tmp_path, name=name) for name in ("a", "b", "c")]
    check()
    assert [line.partition(": ")[0] for line in capsys.readouterr().out.splitlines()] == list(map(str, paths))
    paths[0].write_text("quiz: [", "utf-8")
    paths[1].write_text("{}", "utf-8")
    with pytest.raises(LessonError, match=r"^quizzes/a\.yaml.* \(and 1 more\)$"):
        check()
    assert capsys.readouterr().out.startswith(f"{paths[2]}: ")
    check(lesson="c")
    assert capsys.readouterr().out.startswith(f"{paths[2]}: ")


def test_a_bank_is_summed_up_in_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path)
    line = (
        "10 questions, 9 kinds, 1 objective, 2 in the Knowledge Check, 1 parametrised (5 of 6 draws usable)"
    )
    assert summary(read_bank(path)) == line
    check(path)
    assert capsys.readouterr().out == f"{path}: {line}\n"
    assert usable(read_bank(path).questions[2]) == (5, 6)
