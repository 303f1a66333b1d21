"""The bundle `otter` in the real otter-grader: assigned, run on submissions, and what its results tell."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.peers.school import SLUG, STEPS, SUBMISSIONS, WRONG, Course, course, earned, filled, given_away

pytestmark = pytest.mark.bundles


@dataclass(frozen=True, slots=True)
class Class:
    """A course whose learners have handed in and been graded: each one's rows, by step."""

    course: Course
    rows: Mapping[str, Mapping[str, Mapping[str, Any]]]
    said: str


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Class:
    place = tmp_path_factory.mktemp("otter")
    here = course("otter", place)
    said = here.run("otter", "assign", "-v", f"{SLUG}.ipynb", "dist")
    (autograder,) = (here.folder / "dist" / "autograder").glob("*.zip")
    rows: dict[str, Mapping[str, Mapping[str, Any]]] = {}
    for name in SUBMISSIONS:
        folder = here.folder / "submitted" / name
        folder.mkdir(parents=True)
        book = folder / f"{SLUG}.ipynb"
        book.write_text(filled(here.folder / "dist" / "student" / book.name, name), encoding="utf-8")
        here.run("otter", "run", "--no-logo", "-a", str(autograder), "-o", str(folder), str(book))
        tests = json.loads((folder / "results.json").read_text("utf-8"))["tests"]
        rows[name] = {row["name"]: row for row in tests}
    return Class(here, rows, said)


def test_what_students_get_has_the_skeletons_and_hides_the_solutions(graded: Class) -> None:
    given = graded.course.folder / "dist" / "student"
    assert given_away(given) == []
    text = (given / f"{SLUG}.ipynb").read_text("utf-8")
    assert text.count("NotImplementedError") >= len(STEPS)
    assert "SOLUTION" not in text
    assert sorted(path.name for path in given.iterdir()) == [
        "constraints.txt", "engine", "exercises", f"{SLUG}.ipynb",
    ]  # fmt: skip


def test_otter_is_content_with_the_solutions(graded: Class) -> None:
    assert "All autograder tests passed." in graded.said


@pytest.mark.parametrize("name", SUBMISSIONS)
def test_every_step_gets_its_points(graded: Class, name: str) -> None:
    rows = graded.rows[name]
    assert {step: row["score"] for step, row in rows.items()} == earned(name)
    assert {step: row["max_score"] for step, row in rows.items()} == STEPS
    assert {row["visibility"] for row in rows.values()} == {"visible"}


@pytest.mark.parametrize("fault", ["no engine", "an engine of another version", "a damaged sealed file"])
def test_a_fault_of_the_set_up_fails_the_run_and_writes_no_results(
    graded: Class, tmp_path: Path, fault: str
) -> None:
    here = graded.course
    (autograder,) = (here.folder / "dist" / "autograder").glob("*.zip")
    engine = Path(here.environment["PYTHONPATH"]) / "grader" / "in_notebook.py"
    text, given = engine.read_text("utf-8"), autograder
    if fault == "a damaged sealed file":
        given = tmp_path / "autograder.zip"
        with zipfile.ZipFile(autograder) as old, zipfile.ZipFile(given, "w") as new:
            for name in old.namelist():
                new.writestr(name, old.read(name)[: 1000 if name.endswith("sealed.bin") else None])
    if fault == "an engine of another version":
        engine.write_text(text.replace("def earned(step", "def gained(step"), "utf-8")
    book = here.folder / "submitted" / "solution" / f"{SLUG}.ipynb"
    words = ("otter", "run", "--no-logo", "-a", str(given), "-o", str(tmp_path), str(book))
    try:
        code, said = here.tried(*words, without="PYTHONPATH" if fault == "no engine" else "")
    finally:
        engine.write_text(text, "utf-8")
    assert code == 1
    assert "Not graded: the grader or its set-up failed, not the learner: " in said
    assert not (tmp_path / "results.json").exists()


@pytest.mark.parametrize("name", WRONG)
def test_a_row_names_the_mistake_once(graded: Class, name: str) -> None:
    wrong = WRONG[name]
    assert graded.rows[name][wrong.step]["output"].count(wrong.told) == 1
    assert "All test cases passed!" in graded.rows["solution"][wrong.step]["output"]
