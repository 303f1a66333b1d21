"""Ways round what is asked for and what is forbidden: each costs what it evades, at the two levels that a course uses."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from grader.core.records import Record, StepRecord
from grader.grading.session import Session
from tests.tools.corpus import SOLUTION
from tests.tools.hostile_tools import SEED, SLUG, unnamed

EVASIONS = Path(__file__).resolve().parents[1] / "data" / "evasions"
# Of ready-made attention: the step gets nothing, or a person is told.
READY_MADE = (
    "attend_four_axes",
    "module_unless_profiled",
    "concat_in_a_thread",
    "attend_nobody_watches",
    "attend_tells_nothing",
    "cross_past_torchs_functions",
)
# Of a property: the criteria that ask for it are not passed.
PROPERTIES: Mapping[str, tuple[str, ...]] = {
    "project_same": ("manners",),
    "module_structure": ("structure", "life"),
    "concat_not_elsewhere": ("device",),
    "output_nothing_elsewhere": ("device",),
}

pytestmark = pytest.mark.hostile


@pytest.fixture(scope="module", params=["sealed", "confined"])
def session(request: pytest.FixtureRequest) -> Iterator[Session]:
    """A session at a level; `confined` is what a machine without bubblewrap has."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "confined":
            patch.setenv("PATH", "/nowhere")
        with Session(SLUG, SEED) as made:
            made.grade(SOLUTION / "cost.py")
            if made.worker.isolation != request.param:
                pytest.skip(f"this machine has no {request.param}")
            unnamed(made)
            yield made


def graded(session: Session, name: str, folder: Path) -> StepRecord:
    """The record of the step that a file evades, beside the solution's other steps."""
    step = name.partition("_")[0]
    shutil.copytree(SOLUTION, folder, ignore=shutil.ignore_patterns("__pycache__"), dirs_exist_ok=True)
    shutil.copy(EVASIONS / f"{name}.py", folder / f"{step}.py")
    record: Record = session.grade(folder)
    assert all(found.status != "broken" for found in record.steps)
    return next(found for found in record.steps if found.id == step)


@pytest.mark.parametrize("name", READY_MADE)
def test_ready_made_attention_earns_nothing(session: Session, name: str, tmp_path: Path) -> None:
    found = graded(session, name, tmp_path)
    assert (found.status, found.score) == ("failed", 0.0), found.checks


@pytest.mark.parametrize("name", READY_MADE)
def test_a_person_is_told_where_ready_made_attention_is_spoken_of(
    session: Session, name: str, tmp_path: Path
) -> None:
    assert graded(session, name, tmp_path).review


@pytest.mark.parametrize("name", PROPERTIES)
def test_a_property_is_not_believed(session: Session, name: str, tmp_path: Path) -> None:
    found = graded(session, name, tmp_path)
    failed = {check.id for check in found.checks if check.status == "failed"}
    assert set(PROPERTIES[name]) <= failed, found.checks
