"""The bundle `nbgrader` in the real nbgrader: assigned, autograded, and what its feedback tells."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.peers.school import SLUG, STEPS, SUBMISSIONS, WRONG, Course, course, earned, filled, given_away

pytestmark = pytest.mark.bundles

GRADES = f"""
import json
from nbgrader.api import Gradebook
with Gradebook("sqlite:///gradebook.db") as book:
    print(json.dumps({{
        one.student.id: {{grade.name: [grade.score, grade.max_score] for grade in one.notebooks[0].grades}}
        for one in book.assignment_submissions("{SLUG}")
    }}))
"""


AWAITED = f"""
import json
from nbgrader.api import Gradebook
with Gradebook("sqlite:///gradebook.db") as book:
    print(json.dumps({{
        one.student.id: [[grade.auto_score, grade.needs_manual_grade] for grade in one.notebooks[0].grades]
        for one in book.assignment_submissions("{SLUG}")
    }}))
"""


@dataclass(frozen=True, slots=True)
class Class:
    """A course whose learners have handed in and been graded."""

    course: Course
    grades: Mapping[str, Mapping[str, tuple[float, float]]]

    def of(self, name: str) -> Path:
        return self.course.folder / "autograded" / name / SLUG / f"{SLUG}.ipynb"

    def feedback(self, name: str) -> str:
        page = self.course.folder / "feedback" / name / SLUG / f"{SLUG}.html"
        return html.unescape(re.sub(r"<[^>]+>", "", page.read_text("utf-8")))


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Class:
    place = tmp_path_factory.mktemp("nbgrader")
    here = course("nbgrader", place)
    here.run("nbgrader", "generate_assignment", SLUG)
    for name in SUBMISSIONS:
        target = here.folder / "submitted" / name / SLUG / f"{SLUG}.ipynb"
        target.parent.mkdir(parents=True)
        target.write_text(filled(here.folder / "release" / SLUG / f"{SLUG}.ipynb", name), encoding="utf-8")
    here.run("nbgrader", "autograde", SLUG)
    here.run("nbgrader", "generate_feedback", SLUG)
    (here.folder / "grades.py").write_text(GRADES, encoding="utf-8")
    (here.folder / "awaited.py").write_text(AWAITED, encoding="utf-8")
    return Class(here, json.loads(here.run("grades").splitlines()[-1]))


def test_what_is_released_has_the_skeletons_and_hides_the_solutions(graded: Class) -> None:
    released = graded.course.folder / "release" / SLUG
    assert given_away(released) == []
    text = (released / f"{SLUG}.ipynb").read_text("utf-8")
    assert text.count("NotImplementedError") >= len(STEPS)
    assert "SOLUTION" not in text


@pytest.mark.parametrize("name", SUBMISSIONS)
def test_every_step_gets_its_points(graded: Class, name: str) -> None:
    got = graded.grades[name]
    assert {cell.removesuffix("-check"): score for cell, (score, _) in got.items()} == earned(name)
    assert sum(most for _, most in got.values()) == 100


@pytest.mark.parametrize("name", SUBMISSIONS)
def test_graded_cells_say_nothing_on_stderr(graded: Class, name: str) -> None:
    cells = json.loads(graded.of(name).read_text("utf-8"))["cells"]
    tests = [cell for cell in cells if cell["metadata"].get("nbgrader", {}).get("grade")]
    assert len(tests) == len(STEPS)
    assert [out for cell in tests for out in cell["outputs"] if out.get("name") == "stderr"] == []


def test_a_second_copy_of_a_skeleton_lies_nowhere(graded: Class) -> None:
    names = {path.name for path in (graded.course.folder / "release").rglob("*.py")}
    assert names == {"checks.py"}


@pytest.mark.parametrize(
    "fault", ["no engine", "an engine of another version", "no course", "a damaged sealed file"]
)
def test_a_fault_of_the_set_up_fails_the_run_and_gives_nobody_points(graded: Class, fault: str) -> None:
    here, name = graded.course, fault.replace(" ", "-")
    target = here.folder / "submitted" / name / SLUG / f"{SLUG}.ipynb"
    target.parent.mkdir(parents=True)
    target.write_text(filled(here.folder / "release" / SLUG / f"{SLUG}.ipynb", "solution"), encoding="utf-8")
    exercise = here.folder / "source" / SLUG / "exercises"
    engine = Path(here.environment["PYTHONPATH"]) / "grader" / "in_notebook.py"
    text, sealed = engine.read_text("utf-8"), next(exercise.rglob("sealed.bin"))
    answers, away = sealed.read_bytes(), here.folder / "away"
    if fault == "no course":
        exercise.rename(away)
    if fault == "a damaged sealed file":
        sealed.write_bytes(answers[:1000])
    if fault == "an engine of another version":
        engine.write_text(text.replace("def points(step", "def marks(step"), "utf-8")
    without = "PYTHONPATH" if fault == "no engine" else ""
    try:
        code, said = here.tried("nbgrader", "autograde", SLUG, "--student", name, without=without)
    finally:
        engine.write_text(text, "utf-8")
        if away.exists():
            away.rename(exercise)
        sealed.write_bytes(answers)
    assert code == 1
    assert "Not graded: the grader or its set-up failed, not the learner: " in said
    assert not (here.folder / "autograded" / name / SLUG).exists()
    assert {tuple(each) for each in json.loads(here.run("awaited").splitlines()[-1])[name]} == {(None, True)}


@pytest.mark.parametrize("name", WRONG)
def test_the_feedback_names_the_mistake(graded: Class, name: str) -> None:
    assert WRONG[name].told in graded.feedback(name)
    assert WRONG[name].told not in graded.feedback("solution")
