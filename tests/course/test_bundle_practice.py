"""A learner's quiz: no line of the key but of the questions that an instructor gives out to be practised."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
import yaml

from grader.core.errors import InputError, LessonError
from grader.course.bundle.archive import packed, unpacked
from grader.course.bundle.checking import examine
from grader.course.bundle.choices import read_course
from grader.course.bundle.contents import leaks, secrets
from grader.course.bundle.engine import WHEEL
from grader.course.bundle.kinds import KINDS
from grader.course.bundle.making import made, source_of
from grader.course.bundle.model import Item, Options, Parts, Source
from grader.course.bundle.practice import CHECK, practice_bank, practised
from grader.lesson.lesson import find_lesson
from grader.quiz.bank.bank import read_bank

ROOT = Path(__file__).resolve().parents[2]
SLUG = "multi_head_attention"
BANK = ROOT / "quizzes" / f"{SLUG}.yaml"
KEY = (
    "answer",
    "accept",
    "right",
    "model",
    "explanation",
    "feedback",
    "rubric",
    "traps",
)  # fields with what is right


def some(count: int) -> tuple[str, ...]:
    """Ids of questions of every kind there is, none of the Knowledge Check."""
    bank = read_bank(BANK)
    found = {question.kind: question.id for question in bank.questions if question.id not in bank.check}
    return tuple(found.values())[:count]


def bundle(*ids: str) -> Mapping[str, bytes]:
    """The student's zip with these questions to practise; engine and answers are not what is looked at."""
    wheel = Item(WHEEL, packed([]))
    kept = secrets(ROOT, SLUG, ids)
    parts = Parts(wheel=lambda _: wheel, sealed=lambda: b"sealed answers", secrets=lambda: kept)
    source = Source(ROOT, find_lesson(SLUG, ROOT), Options(practice_quiz=ids), parts)
    return {item.path: item.data for item in unpacked(made(KINDS["student"][0], source))}


def texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from texts(inner)


def telling(ids: set[str]) -> set[str]:
    """Long texts of these questions' keys that no other question has, without spaces, as searched for."""
    questions = yaml.safe_load(BANK.read_text("utf-8"))["questions"]
    chosen = [
        text for each in questions if each["id"] in ids for name in KEY for text in texts(each.get(name))
    ]
    others = {_flat(text) for each in questions if each["id"] not in ids for text in texts(each)}
    return {flat for flat in map(_flat, chosen) if len(flat) > 40} - others


def _flat(text: str) -> str:
    return re.sub(r"\s+", "", text)


def test_without_leave_there_is_the_exam_page_and_no_key() -> None:
    held = bundle()
    assert "quiz.html" in held
    assert not [path for path in held if path.startswith("practice")]
    everything = _flat("\n".join(data.decode("utf-8", "replace") for data in held.values()))
    hidden = telling({question.id for question in read_bank(BANK).questions})
    assert len(hidden) > 100
    assert [text for text in hidden if text in everything] == []
    assert b"Open quiz.html in a browser" in held["Makefile"]


def test_what_may_be_practised_has_its_key_and_nothing_else_has() -> None:
    ids = some(6)
    held = bundle(*ids)
    kept = read_from(held[f"practice/quizzes/{SLUG}.yaml"])
    assert [each["id"] for each in kept["questions"]] == kept["check"] == list(ids)
    everything = _flat("\n".join(data.decode("utf-8", "replace") for data in held.values()))
    allowed = telling(set(ids))
    assert allowed
    assert [text for text in allowed if text not in everything] == []
    others = telling({question.id for question in read_bank(BANK).questions} - set(ids))
    assert [text for text in others if text in everything] == []
    assert {"quiz.html", "practice.html"} <= set(held)  # the one to hand in has no key
    assert b"quiz take --bank practice/quizzes/" in held["Makefile"]
    assert sum(map(len, held.values())) < 2 * 2**20


def test_where_the_whole_check_may_be_practised_its_page_answers() -> None:
    held = bundle(*read_bank(BANK).check)
    assert "practice.html" not in held
    assert b"The answer:" in held["quiz.html"]


def read_from(data: bytes) -> dict[str, list[dict[str, str]]]:
    found: dict[str, list[dict[str, str]]] = yaml.safe_load(data)
    return found


def test_every_question_can_be_cut_out_as_it_stands(tmp_path: Path) -> None:
    bank = read_bank(BANK)
    for ids in (
        [question.id for question in reversed(bank.questions)],
        [bank.questions[-1].id],
        list(some(9)),
    ):
        place = tmp_path / f"{SLUG}.yaml"
        place.write_text(practice_bank(BANK, ids), "utf-8")
        assert read_bank(place, tmp_path).questions == bank.select(ids)
    flow = tmp_path / "flow.yaml"
    flow.write_text("version: 1\nquestions: [{id: a}, {id: b}]\n")
    with pytest.raises(LessonError, match="cannot cut questions out"):
        practice_bank(flow, ["b"])


def test_questions_are_named_by_id_or_as_the_check(tmp_path: Path) -> None:
    assert practised(BANK, ()) == ()
    assert practised(BANK, ("kc-03", CHECK)) == (
        "kc-03",
        *(f"kc-{n:02}" for n in (1, 2, 4, 5, 6, 7, 8, 9, 10)),
    )
    with pytest.raises(InputError, match="no question 'kc-99' in multi_head_attention"):
        source_of(SLUG, Options(practice_quiz=("kc-99",)), ROOT)
    with pytest.raises(InputError, match="the lesson has no quiz, so there is nothing to practise"):
        practised(tmp_path / "none.yaml", (CHECK,))
    for text, found in (("true", (CHECK,)), ("false", ()), ("[kc-01]", ("kc-01",)), ("kc-01", ("kc-01",))):
        (tmp_path / "course.yaml").write_text(f"practice_quiz: {text}\n")
        assert read_course(None, tmp_path).practice_quiz == found


def test_a_look_into_a_bundle_knows_what_was_allowed(tmp_path: Path) -> None:
    ids = some(2)
    source = source_of(SLUG, Options(practice_quiz=ids), ROOT)
    assert leaks([Item("a", BANK.read_bytes())], source.parts.secrets())
    held = bundle(*ids)
    for name, more in (
        ("fine.zip", []),
        ("leaky.zip", [Item("more.yaml", practice_bank(BANK, some(3)).encode())]),
    ):
        path = tmp_path / name
        path.write_bytes(
            packed([*(Item(each, data) for each, data in held.items() if not each.endswith(".whl")), *more])
        )
        told = examine(path, ROOT)
        assert any("gives away more.yaml" in line for line in told.lines) == bool(more)
        assert f"it holds the key of 2 questions for practice: {', '.join(ids)}" in " ".join(told.lines)


def test_a_learner_practises_in_the_terminal_and_is_answered(tmp_path: Path) -> None:
    for path, data in bundle("kc-02", "kc-03").items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(data)
    command = [sys.executable, "-m", "grader", "quiz", "take", "--bank", f"practice/quizzes/{SLUG}.yaml"]
    done = subprocess.run(
        [*command, "--learner", "ana"],
        cwd=tmp_path,
        input="false\n8\n\n",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Finished: 2 of 2 points" in done.stdout
