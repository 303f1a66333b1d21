"""Those who take all they can get change no honest record: a sample of `make test-hogs`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tools.hogs import GOLDEN, HOGS, Hogging, all_graded, beside, difference, hog

HONEST = [
    GOLDEN / name for name in ("right/loop_over_heads.py", "broken/half_of_cross", "broken/class_misspelled")
]

pytestmark = [pytest.mark.hostile, pytest.mark.slow]


@pytest.mark.thorough
def test_honest_work_beside_hogs_gets_the_record_it_gets_alone() -> None:
    alone = all_graded(HONEST)
    assert [record["score"] for record in alone] == [75, 52, 45], "the honest ones are not what they were"
    outcome = beside(tuple(HOGS), HONEST, alone)
    assert outcome.changed == ()
    assert outcome.processes > 2, "no hog was at work any more when the honest ones were done"
    assert outcome.left == ()


def test_a_changed_record_is_told_by_its_first_difference(tmp_path: Path) -> None:
    step = {"id": "attend", "status": "passed", "score": 20, "note": ""}
    alone = {"score": 20, "steps": [step]}
    worse = {"score": 0, "steps": [{**step, "status": "failed", "score": 0, "note": "took longer"}]}
    assert difference(alone, worse) == "attend is passed (20); beside the hog failed (0), took longer"
    assert difference(alone, {**alone, "score": 1}) == "score is 20; beside the hog 1"
    assert difference(alone, {"exit": 3, "said": "no worker"}).endswith(
        "beside the hog {'exit': 3, 'said': 'no worker'}"
    )
    kinds = tuple(HOGS)
    written = [path.read_text("utf-8") for path in sorted(hog(tmp_path / "hog", kinds).iterdir())]
    assert len(written) == 9
    assert all(any(HOGS[kind] in text for text in written) for kind in kinds)
    assert Hogging(tmp_path).grades == 0
