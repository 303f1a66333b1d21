"""A second lesson beside the first: which one is meant is told by path and files, else asked for; nothing is dropped."""

from __future__ import annotations

import io
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from grader.core.errors import InputError, LessonError
from grader.core.ticker import Ticker
from grader.course.audit import command as audit_command
from grader.course.audit.right import submissions
from grader.course.audit.whole import Plan
from grader.course.bundle.making import source_of
from grader.course.bundle.model import Options
from grader.submission.lesson_of import lesson_for
from tests.tools.lessons_here import ROOT, SLUG, the_lesson
from tests.tools.small_lesson import SLUG as SMALL
from tests.tools.small_lesson import lay_out

BOTH = f"{SLUG}, {SMALL}"


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The lesson of this house and a small one, side by side."""
    folder = lay_out(tmp_path_factory.mktemp("two") / "course")
    for room in ("exercises", "reference"):
        shutil.copytree(
            ROOT / room / SLUG, folder / room / SLUG, ignore=shutil.ignore_patterns("__pycache__")
        )
    shutil.copy(ROOT / "quizzes" / f"{SLUG}.yaml", folder / "quizzes")
    return folder


def grader(*words: object, course: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "grader", *map(str, words), "--course", str(course)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=170, check=False)


def handed_in(folder: Path, name: str, text: str) -> Path:
    """A learner's file, under this name in a folder of its own."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, "utf-8")
    return folder


ADD = "def add(a, b, scale=1.0):\n    return a + scale * b\n"
CONCAT = "def concat(heads):\n    return heads\n"


def test_files_tell_the_lesson(course: Path, tmp_path: Path) -> None:
    small = handed_in(tmp_path / "ana", "add.py", ADD)
    large = handed_in(tmp_path / "ben", "concat.py", CONCAT)
    mixed = handed_in(
        tmp_path / "mixed", "work.py", f"{CONCAT}\n\n{CONCAT.replace('concat', 'output')}\n\n{ADD}"
    )
    cells = [{"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": ADD}]
    book = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}
    note = handed_in(tmp_path / "note", "work.ipynb", json.dumps(book)) / "work.ipynb"
    for path, slug in [
        (small, SMALL),
        (small / "add.py", SMALL),
        (large, SLUG),
        (mixed, SLUG),
        (note, SMALL),
    ]:
        assert lesson_for(path, None, course).slug == slug, path
        packed = Path(shutil.make_archive(str(tmp_path / "packed"), "zip", path)) if path.is_dir() else path
        assert lesson_for(packed, None, course).slug == slug
    assert lesson_for(small, SLUG, course).slug == SLUG  # what is said is not weighed against anything


def test_a_path_tells_the_lesson_before_any_file_is_read(course: Path, tmp_path: Path) -> None:
    assert lesson_for(course / "exercises" / SMALL, None, course).slug == SMALL
    assert lesson_for(course / "exercises" / SLUG / "concat.py", None, course).slug == SLUG
    assert lesson_for(tmp_path / SLUG / SMALL, None, course).slug == SMALL  # the innermost
    assert lesson_for(tmp_path / f"{SLUG}.zip", None, course).slug == SLUG


def test_where_no_lesson_or_two_fit_it_is_asked_which(course: Path, tmp_path: Path) -> None:
    none = handed_in(tmp_path / "none", "notes.py", "x = 1\n")
    with pytest.raises(InputError) as neither:
        lesson_for(none, None, course)
    assert str(neither.value) == (
        f"{none}: no lesson is known by its path or its files; say which with --lesson: {BOTH}"
    )
    two = handed_in(tmp_path / "two", "work.py", f"{CONCAT}\n\n{ADD}")
    with pytest.raises(InputError) as both:
        lesson_for(two, None, course)
    assert str(both.value) == f"{two}: several lessons fit it; say which with --lesson: {BOTH}"


def test_a_step_that_only_one_lesson_has_tells_it_too(course: Path, tmp_path: Path) -> None:
    two = handed_in(tmp_path / "two", "work.py", f"{CONCAT}\n\n{ADD}")
    assert lesson_for(two, None, course, "add").slug == SMALL
    assert lesson_for(two, None, course, "concat.py").slug == SLUG


def test_a_lesson_that_does_not_hold_together_stops_no_other(course: Path, tmp_path: Path) -> None:
    broken = tmp_path / "course"
    shutil.copytree(course, broken)
    (broken / "exercises" / SLUG / "lesson.yaml").write_text("version: 1\n", "utf-8")
    assert lesson_for(handed_in(tmp_path / "ana", "add.py", ADD), None, broken).slug == SMALL
    with pytest.raises(LessonError):
        lesson_for(tmp_path, SLUG, broken)


def test_commands_grade_hint_and_mark_the_lesson_that_is_meant(course: Path, tmp_path: Path) -> None:
    work = handed_in(tmp_path / "ana", "add.py", ADD.replace("+", "-"))
    graded = grader("grade", work, "--json", "-", "--seed", "3", course=course)
    assert graded.returncode == 0, graded.stderr
    record = json.loads(graded.stdout)
    assert (record["lesson"], [one["id"] for one in record["steps"][0]["mistakes"]]) == (SMALL, ["minus"])
    hint = grader("hint", "add", "--submission", work, course=course)
    assert (hint.returncode, "Hint 1 of 3:" in hint.stdout) == (0, True), hint.stderr
    checked = grader("quiz", "check", course=course)
    assert (checked.returncode, len(checked.stdout.splitlines())) == (0, 2), checked.stderr
    sheet = tmp_path / "sheet.yaml"
    sheet.write_text("quiz: tiny\nlearner: Ana\nanswers: {kc-01: yes}\n", "utf-8")
    marked = grader("quiz", "mark", sheet, course=course)
    assert marked.stdout.startswith("Ana: 1 of 1 points"), marked.stderr
    sheet.write_text("learner: Ana\nanswers: {kc-01: yes}\n", "utf-8")
    asked = grader("quiz", "mark", sheet, course=course)
    assert (asked.returncode, asked.stdout) == (2, "")
    assert asked.stderr == f"grader: several lessons have a bank; say which with --lesson: {BOTH}\n"
    assert grader("quiz", "mark", sheet, "--lesson", SMALL, course=course).stdout.startswith(
        "Ana: 1 of 1 points"
    )
    which = grader("seal", "--out", tmp_path / "sealed.bin", course=course)
    assert (which.returncode, which.stderr) == (
        2,
        f"grader: several lessons here; say which with --lesson: {BOTH}\n",
    )


def test_an_audit_without_a_name_proves_every_lesson_and_writes_files_of_one(
    course: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked: list[str | None] = []

    def run(plan: Plan, *_: object) -> object:
        asked.append(plan.slug)
        raise_at_the_end = len(asked) == 2
        if raise_at_the_end:
            raise InputError("enough")
        return PROVED

    monkeypatch.setattr(audit_command, "run", run)
    monkeypatch.setattr("grader.course.audit.screen.render", lambda *_, **__: "")
    with pytest.raises(InputError, match="enough"):
        audit_command.command(course=course, jobs=1, right_seeds=0)
    assert asked == [SLUG, SMALL]
    with pytest.raises(InputError, match=f"are of one lesson; say which: {BOTH}"):
        audit_command.command(course=course, jobs=1, right_seeds=0, json=tmp_path / "found.json")


class PROVED:
    proved = True


def test_right_submissions_are_those_of_the_lesson_that_their_index_says(
    course: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = tmp_path / "course"
    shutil.copytree(course, mine)
    right = mine.joinpath(*audit_command.RIGHT)
    right.mkdir(parents=True)
    (right / "one.py").write_text(ADD, "utf-8")
    with pytest.raises(LessonError, match="say whose right submissions these are: `lesson: SLUG`"):
        audit_command._usual(Plan(slug=SMALL, root=mine))
    (right / "index.yaml").write_text("lesson: tiny\nsubmissions:\n- path: one.py\n  steps: [add]\n", "utf-8")
    assert audit_command._usual(Plan(slug=SMALL, root=mine)) == right
    assert submissions(right, SMALL) == [(right / "one.py", ("add",))]
    assert capsys.readouterr().err == ""
    assert audit_command._usual(Plan(slug=SLUG, root=mine)) is None
    said = f"grader: no right submissions of {SLUG} are kept, so no style of right work is tried\n"
    assert capsys.readouterr().err == said
    with pytest.raises(InputError, match=f"right submissions of {SMALL}, not of {SLUG}"):
        submissions(right, SLUG)


def test_this_house_s_right_submissions_say_whose_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    found = audit_command._usual(Plan(slug=SLUG, root=ROOT))
    assert found is not None
    assert len(submissions(found, SLUG)) > 50
    assert capsys.readouterr().err == ""


def test_a_bundle_of_another_course_carries_this_engine(course: Path) -> None:
    said: list[str] = []
    source = source_of(SMALL, Options(), course, said.append)
    assert source.parts.wheel("learner").path.endswith(".whl")
    assert source.parts.wheel("learner") == source.parts.wheel("learner")
    assert said == ["the engine's wheel"]


def test_no_test_leaves_open_which_lesson_it_is_about() -> None:
    open_ones = re.compile(r"find_lesson\(None(?:, ROOT)?\)")
    files = [path for path in (ROOT / "tests").rglob("test_*.py") if path != Path(__file__).resolve()]
    assert [path.name for path in files if open_ones.search(path.read_text("utf-8"))] == []
    assert the_lesson().slug == SLUG


# --- how far long work has come ------------------------------------------------------------------


class Screen(io.StringIO):
    """A terminal."""

    def isatty(self) -> bool:
        return True


def test_a_ticker_keeps_one_line_fresh_on_a_terminal_and_takes_it_away() -> None:
    screen = Screen()
    with Ticker("Bundles", 3, to=screen, counts="made") as ticker:
        ticker.at("otter")
        ticker.done()
        assert ticker.line() == "Bundles: 1 of 3 made, otter; 0 s"
    assert screen.getvalue() == "\r\x1b[KBundles: 0 of 3 made; 0 s\r\x1b[K"


def test_elsewhere_a_ticker_says_a_plain_line_now_and_then_and_none_for_quick_work() -> None:
    log = io.StringIO()
    with Ticker("Auditing", 2, to=log):
        pass
    assert log.getvalue() == ""
    with Ticker("Auditing", 2, to=log, every=0.01) as ticker:
        ticker.at("evil \x1b[31m\n")
        while log.getvalue().count("\n") < 2:
            pass
    first, second = log.getvalue().splitlines()[:2]
    assert re.fullmatch(r"Auditing: 0 of 2(, evil .*)?; 0 s", first)
    assert re.fullmatch(r"Auditing: 0 of 2, evil [^\x1b]*; 0 s", second)


def test_a_ticker_whose_reader_is_gone_ends_nothing() -> None:
    log = io.StringIO()
    with Ticker("Auditing", 2, to=log, every=0.001) as ticker:
        log.close()
        ticker.done()
