"""Right golden submissions, in every style, through the whole road: they lose nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from grader.grading.session import Session
from tests.tools.corpus import GOLDEN, ROOT, index

pytestmark = pytest.mark.slow
SEED = 5
RIGHT = index("right")


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    with Session(None, SEED, ROOT) as made:
        yield made


@pytest.mark.one_in(5)
@pytest.mark.parametrize("entry", RIGHT, ids=lambda entry: entry["path"])
def test_right_work_loses_nothing(session: Session, entry: Mapping[str, Any]) -> None:
    record = session.grade(GOLDEN / "right" / entry["path"])
    attempted = [step for step in record.steps if step.status != "not_attempted"]
    assert {step.id for step in attempted} == set(entry["steps"])
    lost = [
        (step.id, check.id, check.message)
        for step in attempted
        for check in step.checks
        if check.status != "passed" and check.max_points
    ]
    assert lost == []
    assert all(step.score == step.max_score and not step.review for step in attempted)
