"""Wrong golden submissions through the whole road: none is full, their mistakes are named."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest

from grader.core.records import Record, StepRecord
from grader.grading.session import Session
from tests.tools.corpus import GOLDEN, ROOT, index

pytestmark = pytest.mark.slow
SEED = 5
WRONG = index("wrong")
SINGLE = [entry for entry in WRONG if entry["kind"] == "single"]
DOUBLE = [entry for entry in WRONG if entry["kind"] == "double"]
PAYS_ONE = [entry for entry in WRONG if "only" in entry]
KEPT, KEPT_DOUBLE = SINGLE[::8], DOUBLE[1::4]  # what `make test` asks; `make test-all` asks for all
CARRIED = [entry for entry in WRONG if entry["kind"] == "carried"]


class Marked:
    """Grades each golden submission once, whichever test asks first."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.records: dict[str, Record] = {}

    def record(self, entry: Mapping[str, Any]) -> Record:
        path = str(entry["path"])
        if path not in self.records:
            self.records[path] = self.session.grade(GOLDEN / "wrong" / path)
        return self.records[path]

    def step(self, entry: Mapping[str, Any]) -> StepRecord:
        return next(step for step in self.record(entry).steps if step.id == entry["step"])


@pytest.fixture(scope="module")
def marked() -> Iterator[Marked]:
    with Session(None, SEED, ROOT) as session:
        yield Marked(session)


@pytest.mark.one_in(8)
@pytest.mark.parametrize("entry", SINGLE, ids=lambda entry: entry["path"])
def test_wrong_work_is_never_full(marked: Marked, entry: Mapping[str, Any]) -> None:
    _is_not_full(marked, entry)


@pytest.mark.one_in(4, 1)
@pytest.mark.parametrize("entry", DOUBLE, ids=lambda entry: entry["path"])
def test_work_that_is_wrong_twice_is_never_full(marked: Marked, entry: Mapping[str, Any]) -> None:
    _is_not_full(marked, entry)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("entry", PAYS_ONE, ids=lambda entry: entry["path"])
def test_a_fault_costs_its_own_criterion_alone(marked: Marked, entry: Mapping[str, Any]) -> None:
    step = marked.step(entry)
    assert {check.id for check in step.checks if check.status == "failed"} == set(entry["only"])


def _is_not_full(marked: Marked, entry: Mapping[str, Any]) -> None:
    step = marked.step(entry)
    assert step.status in ("failed", "partial", "not_attempted")
    assert step.score < step.max_score
    told = any(check.status == "failed" and check.message for check in step.checks)
    assert told or step.note  # one note for all checks, where none could be reached


def test_single_mistakes_are_named(marked: Marked) -> None:
    missed = _missed(marked, KEPT)
    assert len(missed) <= 0.05 * len(KEPT), missed


@pytest.mark.thorough
def test_all_single_mistakes_are_named(marked: Marked) -> None:
    missed = _missed(marked, SINGLE)
    assert len(missed) <= 0.02 * len(SINGLE), missed


def test_double_mistakes_are_named(marked: Marked) -> None:
    missed = _missed(marked, KEPT_DOUBLE)
    assert len(missed) <= 0.20 * len(KEPT_DOUBLE), missed


@pytest.mark.thorough
def test_all_double_mistakes_are_named(marked: Marked) -> None:
    missed = _missed(marked, DOUBLE)
    assert len(missed) <= 0.20 * len(DOUBLE), missed


@pytest.mark.one_in(2)
@pytest.mark.parametrize("entry", CARRIED, ids=lambda entry: entry["path"])
def test_a_neighbours_mistake_is_paid_once(marked: Marked, entry: Mapping[str, Any]) -> None:
    steps = {step.id: step for step in marked.record(entry).steps}
    for name, wanted in entry["steps"].items():
        allowed = wanted if isinstance(wanted, list) else [wanted]
        assert steps[name].status in allowed, (name, steps[name].note)
    for name in entry.get("carried") or ():
        assert steps[name].score == steps[name].max_score
        assert "carried forward" in steps[name].note
    for name in entry.get("helped") or ():
        assert steps[name].score == steps[name].max_score
        assert "asked once more with the solution's" in steps[name].note


def _missed(marked: Marked, entries: Sequence[Mapping[str, Any]]) -> list[tuple[str, list[str]]]:
    """Entries whose mistake was not named, with what was said instead."""
    missed = []
    for entry in entries:
        named = sorted(mistake.id for mistake in marked.step(entry).mistakes)
        wanted = sorted(entry.get("mistakes") or [entry["mistake"]])
        if named != wanted and not (len(named) == 1 and named[0] in entry.get("twins", ())):
            missed.append((entry["path"], named))
    return missed
