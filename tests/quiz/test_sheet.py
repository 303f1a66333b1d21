"""Answer sheets: what may stand in one, and how a person is told what may not."""

from __future__ import annotations

import datetime
import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grader.core.errors import InputError
from grader.quiz.marking.answers import LONGEST, read_answer
from grader.quiz.marking.sheet import Sheet, read_sheet


def sheet(folder: Path, text: str | bytes, name: str = "ada.yaml") -> Sheet:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_sheet(path)


def refused(folder: Path, text: str | bytes) -> str:
    with pytest.raises(InputError) as caught:
        sheet(folder, text)
    message = str(caught.value)
    assert "\n" not in message
    assert len(message) < 500
    return message.removeprefix(str(folder))


def test_a_sheet_of_yaml_and_the_same_in_json(tmp_path: Path) -> None:
    answers = {"kc-01": "concat, then W_O", "kc-03": ["a", "8"]}
    in_json = sheet(tmp_path, json.dumps({"learner": "Ada", "answers": answers}), "ada.json")
    in_yaml = sheet(
        tmp_path, "learner: Ada\nanswers:\n  kc-01: concat, then W_O\n  kc-03: [a, 8]\n", "ada.yaml"
    )
    assert in_json.learner == in_yaml.learner == "Ada"
    assert in_json.answers == in_yaml.answers == answers


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_any_line_ends_with_or_without_a_byte_order_mark(tmp_path: Path, ends: str, mark: bytes) -> None:
    text = "learner: Zoë\nanswers:\n  kc-01: Wₒ\n".replace("\n", ends)
    read = sheet(tmp_path, mark + text.encode())
    assert (read.learner, read.answers) == ("Zoë", {"kc-01": "Wₒ"})


@pytest.mark.parametrize(
    ("written", "learner"),
    [
        ("no", "no"), ("42", "42"), ("2024-05-06", "ada"), ("yes", "yes"), ("null", "ada"), ("''", "ada"),
        ("~", "ada"), ("007", "007"), ("[a, b]", "ada"), ("1e3", "1e3"), (" Ada L. ", "Ada L."),
    ],
)  # fmt: skip
def test_a_scalar_learner_is_its_text_and_none_is_the_files_name(
    tmp_path: Path, written: str, learner: str
) -> None:
    assert sheet(tmp_path, f"learner: {written}\nanswers: {{}}\n").learner == learner


def test_no_learner_at_all_is_the_files_name(tmp_path: Path) -> None:
    assert sheet(tmp_path, '{"answers": {}}', "grace.json").learner == "grace"
    assert sheet(tmp_path, '{"learner": false, "answers": {}}', "x.json").learner == "false"
    assert sheet(tmp_path, '{"learner": 42, "answers": {}}', "x.json").learner == "42"


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("no", "no"), ("True", "True"), ("'no'", "no"), ("8", "8"), ("8.0", "8.0"), ("0x10", 16), ("1_000", 1000),
        ("12:30", "12:30"), ("~", None), ("", None), ("[]", []), ("[yes, 2]", ["yes", "2"]), ("-", "-"),
        ("{a: b}", {}), ("[[1], 2]", [[], "2"]), ("010", "010"), ("!!str 5", "5"), ("&x 5", "5"),
    ],
)  # fmt: skip
def test_a_scalar_stands_as_it_was_written(tmp_path: Path, written: str, value: object) -> None:
    answers = sheet(tmp_path, f"answers:\n  kc-01: {written}\n").answers
    assert answers == {"kc-01": value}


def test_a_date_and_no_number_are_for_a_person(tmp_path: Path) -> None:
    answers = sheet(tmp_path, "answers: {kc-01: 2024-05-06, kc-02: .nan, kc-03: -.inf}\n").answers
    assert isinstance(answers["kc-01"], datetime.date)
    assert all(read_answer(value).problem for value in answers.values())
    answers = sheet(tmp_path, '{"answers": {"kc-01": NaN}}').answers
    assert read_answer(answers["kc-01"]).problem


def test_ids_are_trimmed_and_folded(tmp_path: Path) -> None:
    assert sheet(tmp_path, "answers: {' KC-01 ': a, Kc-02: b}\n").answers == {"kc-01": "a", "kc-02": "b"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("answers: {kc-01: a, KC-01: b}", "the id `kc-01` stands there twice"),
        ("answers:\n  kc-01: a\n  kc-01: b\n", "line 3: `kc-01` stands there twice"),
        ("learner: a\nlearner: b\nanswers: {}\n", "line 2: `learner` stands there twice"),
        ('{"answers": {"kc-01": 1, "kc-01": 2}}', "the id `kc-01` stands there twice"),
        ("answers: {kc-01: !!python/object/apply:os.system ['true']}", "the tag !!python/object/apply:os.system"),
        ("answers: {kc-01: !thing x}", "the tag !thing builds an object"),
        ("answers: {kc-01: !!binary aGk=}", "the tag !!binary"),
        ("a: 1\n---\nb: 2\n", "line 2: a second document"),
        ("", "the sheet is empty"),
        ("# nothing\n", "a mapping with `learner` and `answers`"),
        ("[1, 2]", "a mapping with `learner` and `answers`"),
        ("just words", "a mapping with `learner` and `answers`"),
        ("learner: Ada\n", "no `answers` in it"),
        ("answers: [a, b]\n", "`answers` must be a mapping"),
        ("answers: {[1]: a}\n", "an id must be a word"),
        ("answers: {kc-01: 'a\n", "not valid YAML"),
        ("answers: *nowhere\n", "not valid YAML"),
        ("answers:\n\t- a\n", "not valid YAML"),
        ("answers: " + "[" * 100 + "]" * 100, "nested more than"),
        ("[" * 100_000, "nested"),
        ('{"answers": ' + "[" * 100_000 + "]" * 100_000 + "}", "nested"),
        ("answers: {kc-01: 'a\x00'}", "not valid YAML"),
        ("answers: {kc-01: a}".encode("utf-16"), "it is UTF-16, not UTF-8"),
        ("answers: {kc-01: a}".encode("utf-16-le"), "it is UTF-16, not UTF-8"),
    ],
)  # fmt: skip
def test_a_sheet_that_cannot_be_used_says_why_in_one_line(tmp_path: Path, text: str, said: str) -> None:
    assert said in refused(tmp_path, text)


def test_another_encoding_is_named(tmp_path: Path) -> None:
    assert "byte 9 is not UTF-8" in refused(
        tmp_path, "learner: Zoë\nanswers: {}\n".encode("latin-1")[0:9] + b"\xeb"
    )


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none.yaml"):
        with pytest.raises(InputError, match="cannot be read"):
            read_sheet(path)


def test_a_bomb_of_aliases_stays_small(tmp_path: Path) -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 12)]
    read = sheet(tmp_path, "\n".join([*lines, "answers: {kc-01: *a11, kc-02: fine}"]))
    assert read.answers["kc-02"] == "fine"
    assert read_answer(read.answers["kc-01"]).problem == "it is a list in a list"


def test_a_huge_answer_is_for_a_person_and_costs_no_time(tmp_path: Path) -> None:
    read = sheet(tmp_path, f"answers: {{kc-01: {'word ' * 250_000}, kc-02: b}}")
    assert "20,000" in read_answer(read.answers["kc-01"]).problem
    assert read.answers["kc-02"] == "b"


@pytest.mark.parametrize(
    "blank", [None, "", "  ", [], "-", "idk", "IDK.", "?", "I don't know", "n/a", ["", None]]
)
def test_blank_answers(blank: object) -> None:
    assert read_answer(blank).blank


@pytest.mark.parametrize("given", ["0", "no", "a", "I don't know but maybe W_O", ["", "b"], False, 0, "✓"])
def test_answers_that_are_not_blank(given: object) -> None:
    assert not read_answer(given).blank


@pytest.mark.parametrize(
    "odd", [{"a": 1}, float("nan"), float("inf"), "x" * (LONGEST + 1), ["x"] * 101, [["a"]], 10**50, b"x"]
)
def test_what_only_a_person_can_read(odd: object) -> None:
    answer = read_answer(odd)
    assert answer.problem
    assert not answer.blank


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.binary(max_size=200) | st.text(max_size=200).map(lambda text: f"answers: {text}".encode()))
def test_no_bytes_do_more_than_be_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "sheet.yaml"
    path.write_bytes(data)
    try:
        read = read_sheet(path)
    except InputError as error:
        assert "\n" not in str(error)  # noqa: PT017  (either way is fine; only the form is checked)
    else:
        assert all(isinstance(key, str) for key in read.answers)
