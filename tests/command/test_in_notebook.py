"""What a notebook's own cells tell: steps, points in part, test cases, and which cells are the learner's."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from grader import in_notebook
from grader.core.errors import MachineError
from grader.core.records import StepRecord
from grader.grading.separate import Apart
from grader.submission.notebook import OURS
from tests.tools.report_records import check, mistake, record, step

Asked = list[tuple[str, ...]]
Give = Callable[..., Asked]


@pytest.fixture
def give(monkeypatch: pytest.MonkeyPatch) -> Give:
    """Lets a kernel hold these cells, and each grade of them come out so."""

    def given(done: Apart, cells: tuple[str, ...] = ("x = 1",)) -> Asked:
        asked: Asked = []

        def grade(sources: tuple[str, ...], _: Path) -> Apart:
            asked.append(sources)
            return done

        shell = SimpleNamespace(user_ns={"In": ["", *cells]})
        monkeypatch.setattr(builtins, "get_ipython", lambda: shell, raising=False)
        monkeypatch.setattr(in_notebook, "_graded", grade)
        monkeypatch.delenv(in_notebook.GRADING, raising=False)
        return asked

    return given


def attend(*, score: float = 8) -> StepRecord:
    checks = (
        check("values", "passed", 8, 8),
        check("mask", "failed", 0, 7, message="`heads`: 1 < 2"),
        check("dtype", "failed", 0, 5, message="`heads`: float32"),
    )
    named = (mistake("mask-unused", title="The mask <is> not used", message="You take it."),)
    return step("attend", "partial", score, 20, checks=checks, mistakes=named)


def test_a_test_case_passes_if_its_check_earned_and_the_first_that_does_not_tells_all(give: Give) -> None:
    give(Apart(record(attend())))
    in_notebook.earned("attend", "values")
    with pytest.raises(AssertionError) as first:
        in_notebook.earned("attend", "mask")
    assert str(first.value).startswith("The mask ‹is> not used\nYou take it.\n")
    with pytest.raises(AssertionError) as second:
        in_notebook.earned("attend", "dtype")
    assert str(second.value) == "The dtype: `heads`: float32"


def test_a_step_with_full_points_passes_every_test_case(give: Give) -> None:
    give(Apart(record(attend(score=20))))
    for name in ("values", "mask", "dtype"):
        in_notebook.earned("attend", name)


def test_a_test_case_that_no_record_speaks_of_never_passes(give: Give) -> None:
    give(Apart(record(attend())))
    with pytest.raises(AssertionError, match="is> not used"):
        in_notebook.earned("attend", "gone")
    with pytest.raises(AssertionError, match="the grader itself failed here, not you"):
        in_notebook.earned("concat", "values")


def test_whose_fault_it_is_that_there_is_no_grade_is_told(give: Give) -> None:
    give(Apart(None, "nothing of the lesson is in it", unusable=True))
    with pytest.raises(AssertionError, match="nothing of the lesson is in it"):
        in_notebook.points("attend", 20)
    give(Apart(None, "no memory"))
    with pytest.raises(AssertionError, match="the grader itself failed here, not you"):
        in_notebook.points("attend", 20)


@pytest.mark.parametrize(
    "done", [Apart(None, "no memory"), Apart(record(step("attend", "broken", 0, 20))), Apart(record())]
)
def test_while_a_class_is_graded_a_fault_of_the_graders_is_no_assertion_that_a_platform_takes_for_a_zero(
    give: Give, monkeypatch: pytest.MonkeyPatch, done: Apart
) -> None:
    give(done)
    monkeypatch.setenv(in_notebook.GRADING, in_notebook.AUTOGRADE)
    for ask in (lambda: in_notebook.points("attend", 20), lambda: in_notebook.earned("attend", "values")):
        with pytest.raises(MachineError):
            ask()
    give(Apart(None, "nothing of the lesson is in it", unusable=True))
    monkeypatch.setenv(in_notebook.GRADING, in_notebook.AUTOGRADE)
    with pytest.raises(AssertionError, match="nothing of the lesson is in it"):
        in_notebook.points("attend", 20)


def test_points_in_part_are_scaled(give: Give, capsys: pytest.CaptureFixture[str]) -> None:
    give(Apart(record(attend())))
    assert in_notebook.points("attend", 5) == 2
    assert "The mask <is> not used" in capsys.readouterr().out


def test_cells_of_the_bundle_and_of_otter_are_not_the_learners(give: Give) -> None:
    cells = ("x = 1", f"{OURS}: leave it\ncheck()", "from otter import Notebook as n", " ", "y = 2")
    asked = give(Apart(record(attend())), cells)
    in_notebook.check("attend")
    assert asked == [("x = 1", "y = 2")]


def test_while_nbgrader_grades_only_graded_cells_speak(
    give: Give, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = give(Apart(record(attend())))
    monkeypatch.setenv(in_notebook.GRADING, "autograde")
    in_notebook.check("attend")
    assert (asked, capsys.readouterr().out) == ([], "")


def test_one_grade_serves_all_that_ask_while_nothing_new_is_run(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Path] = []

    def grade(path: Path, *_: object) -> Apart:
        made.append(path)
        return Apart(None)

    monkeypatch.setattr(in_notebook, "grade_apart", grade)
    for sources in (("a = 1",), ("a = 1",), ("a = 1", "b = 2")):
        in_notebook._graded(sources, Path("nowhere"))
    in_notebook._graded.cache_clear()
    assert len(made) == 2
