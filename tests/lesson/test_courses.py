"""The course is said and never searched for, stands apart from what it judges, and is what its manifest says."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from grader.core import paths
from grader.core import templates as pages
from grader.core.errors import InputError, MachineError
from grader.grading.hints import next_hint
from grader.grading.session import grade
from grader.lesson import courses
from grader.lesson.courses import as_bundled, find_course, said_in, stand_apart


@pytest.fixture(autouse=True)
def unnamed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(courses.VARIABLE, raising=False)


def laid_out(folder: Path, *slugs: str) -> Path:
    """A folder with lessons in it, as far as finding them goes."""
    for slug in slugs or ("toy",):
        (folder / "exercises" / slug).mkdir(parents=True)
        (folder / "exercises" / slug / "lesson.yaml").touch()
    return folder


def test_the_course_is_the_one_that_is_said_else_the_variable_s_else_the_engine_s_checkout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said, named, checkout = (laid_out(tmp_path / name) for name in ("said", "named", "checkout"))
    monkeypatch.setattr(courses, "HOME", checkout)
    assert find_course() == checkout
    monkeypatch.setenv(courses.VARIABLE, str(named))
    assert find_course() == named
    assert find_course(said) == said
    monkeypatch.chdir(tmp_path)
    assert find_course(Path("said")) == said
    monkeypatch.setenv(courses.VARIABLE, "")
    assert find_course() == checkout


def test_no_folder_is_walked_to_find_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inside = laid_out(tmp_path / "theirs") / "exercises" / "toy"
    monkeypatch.setattr(courses, "HOME", tmp_path / "site-packages")
    for here in (inside, tmp_path / "theirs"):
        monkeypatch.chdir(here)
        with pytest.raises(InputError) as told:
            find_course()
        assert str(told.value) == (
            "say where the course is: --course DIR, or GRADER_COURSE; DIR is the folder that holds exercises/"
        )


def test_no_template_is_taken_from_where_one_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "templates" / "quiz").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    assert pages.template_folder() != tmp_path / "templates"
    monkeypatch.setattr(pages, "HOME", tmp_path / "away")
    monkeypatch.setattr(pages, "ENGINE", tmp_path / "away" / "grader")
    with pytest.raises(MachineError, match="beside the engine; install it again"):
        pages.template_folder()


def test_what_is_said_and_is_no_course_is_told_in_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(InputError) as gone:
        find_course(tmp_path / "gone")
    assert (
        str(gone.value) == f"--course {tmp_path}/gone: no such folder; name the folder that holds exercises/"
    )
    monkeypatch.setenv(courses.VARIABLE, str(tmp_path))
    with pytest.raises(InputError) as empty:
        find_course()
    assert str(empty.value) == (
        f"GRADER_COURSE {tmp_path}: no exercises/<lesson>/lesson.yaml in it; name the folder that holds exercises/"
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["grade", "x"], None),
        (["grade", "--course", "a b", "x"], Path("a b")),
        (["grade", "x", "--course=c"], Path("c")),
        (["grade", "x", "--course"], Path()),
    ],
)
def test_the_words_of_a_command_say_the_course(words: list[str], said: Path | None) -> None:
    assert said_in(words) == said


def test_a_course_never_is_holds_or_lies_in_what_it_judges(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    course = laid_out(tmp_path / "up" / "course")
    (course / "reference").mkdir()
    (course / "work").mkdir()
    beside = tmp_path / "up" / "work"
    beside.mkdir()
    link = tmp_path / "link"
    link.symlink_to(course)
    for official in (False, True):
        stand_apart(course, beside, official=official)
        for theirs, problem in [
            (course, "is the submission"),
            (link, "is the submission"),
            (tmp_path / "up", "lies in the submission"),
            (course / "work", "holds the submission"),
        ]:
            with pytest.raises(
                InputError, match=f"^{theirs}: the course {course} {problem}; move them apart"
            ):
                stand_apart(course, theirs, official=official)
    monkeypatch.setattr(courses, "HOME", course)  # then all that runs is this checkout's anyway
    stand_apart(course, course / "work", official=True)


def test_a_learner_s_own_bundle_grades_what_lies_in_it_and_no_official_grade_is_made_so(
    tmp_path: Path,
) -> None:
    course = laid_out(tmp_path)
    work = course / "exercises" / "toy"
    stand_apart(course, work, official=False)
    with pytest.raises(InputError, match="holds the submission"):
        stand_apart(course, work, official=True)


def test_a_hint_is_not_given_for_the_course_itself() -> None:
    with pytest.raises(InputError, match="is the submission"):
        next_hint("attend", paths.HOME)


def test_grade_asks_before_a_line_of_the_course_is_read(tmp_path: Path) -> None:
    course = laid_out(tmp_path)  # its lesson.yaml is empty: reading it would be another error
    with pytest.raises(InputError, match="is the submission"):
        grade(course, None, 1, course)


FILES = {
    "exercises/toy/lesson.yaml": b"a\nb\n",
    "exercises/toy/one.py": b"skeleton",
    "reference/toy/probes.py": b"p",
}


def bundled(folder: Path, **facts: object) -> Path:
    """A bundle's folder: its files, and a manifest of them with these facts changed."""
    for name, data in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    plain = {
        "lesson": "toy",
        "steps": ["one"],
        "files": {name: {"sha256": hashlib.sha256(data).hexdigest()} for name, data in FILES.items()},
    }
    (folder / courses.MANIFEST).write_text(json.dumps({**plain, **facts}), "utf-8")
    return folder


def held(folder: Path) -> None:
    as_bundled(folder, "toy", ["one"], {"one.py"})


def test_a_bundle_as_it_was_made_may_judge_and_its_skeleton_be_written_into(tmp_path: Path) -> None:
    held(tmp_path)  # no bundle at all
    folder = bundled(tmp_path)
    (folder / "exercises/toy/one.py").write_bytes(b"my own work")
    (folder / "exercises/toy/lesson.yaml").write_bytes(b"a\r\nb\r\n")  # as git lays it out on Windows
    held(folder)


@pytest.mark.parametrize("name", ["exercises/toy/lesson.yaml", "reference/toy/probes.py"])
def test_a_bundle_that_is_not_as_its_manifest_says_judges_nothing(tmp_path: Path, name: str) -> None:
    folder = bundled(tmp_path)
    (folder / name).write_bytes(b"changed")
    with pytest.raises(MachineError) as changed:
        held(folder)
    assert str(changed.value) == f"{folder / name}: not as MANIFEST.json says; unpack the bundle anew"
    (folder / name).unlink()
    with pytest.raises(MachineError, match=r"not as MANIFEST\.json says"):
        held(folder)


def test_a_bundle_of_other_steps_or_of_another_lesson_is_told(tmp_path: Path) -> None:
    for facts in ({"steps": ["one", "two"]}, {"lesson": "other"}):
        with pytest.raises(MachineError, match=r"the bundle is for .*, the course for toy with one; unpack"):
            held(bundled(tmp_path, **facts))
    for text in ("{", "[]", '{"lesson": 1}'):
        (tmp_path / courses.MANIFEST).write_text(text, "utf-8")
        with pytest.raises(MachineError, match="cannot be read"):
            held(tmp_path)
