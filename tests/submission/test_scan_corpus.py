"""The scan for detours over whole corpora: honest work raises no flag, and no detour goes by without cost or flag."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
import yaml

from grader.lesson.lesson import Lesson, find_lesson
from grader.submission.forbidden_scan import detours
from grader.submission.reader import read_submission
from tests.tools.corpus import GOLDEN, SOLUTION, index

BROKEN = yaml.safe_load((GOLDEN / "broken" / "index.yaml").read_text("utf-8"))["cases"]
BANNED = [case for case in BROKEN if case["path"].startswith("banned_")]
HONEST = [GOLDEN / "right" / entry["path"] for entry in index("right")]
SPOKEN = ("mention_checked_at_import", "mention_in_helper", "mention_in_import")
MENTIONS = [GOLDEN / "broken" / case["path"] for case in BROKEN if case["path"].startswith("mention_")]


@pytest.fixture(scope="module")
def lesson() -> Lesson:
    return find_lesson("multi_head_attention")


def flags(lesson: Lesson, path: Any) -> dict[str, tuple[str, ...]]:
    """What would stand under `review` of each step."""
    read = read_submission(path, lesson)
    told = {step.id: detours(lesson, step, read) for step in lesson.steps}
    return {step: lines for step, lines in told.items() if lines}


@pytest.mark.parametrize("path", [SOLUTION, *HONEST], ids=lambda path: path.name)
def test_honest_work_raises_no_flag(lesson: Lesson, path: Any) -> None:
    assert flags(lesson, path) == {}


@pytest.mark.parametrize("path", MENTIONS, ids=lambda path: path.name)
def test_speaking_of_ready_made_functions_in_code_that_may_run_raises_a_flag(
    lesson: Lesson, path: Any
) -> None:
    said = [line for lines in flags(lesson, path).values() for line in lines]
    assert bool(said) == (path.name in SPOKEN)
    assert all("speaks of scaled_dot_product_attention" in line for line in said)


@pytest.mark.parametrize("case", BANNED, ids=lambda case: case["path"])
def test_a_detour_raises_a_flag_or_costs_the_step(lesson: Lesson, case: Mapping[str, Any]) -> None:
    """That the step fails with no points where the index says so, tests/grading/test_broken_work.py shows."""
    assert case["banned"]
    flagged = case["step"] in flags(lesson, GOLDEN / "broken" / case["path"])
    costs = case["steps"][case["step"]] == "failed" and not case.get("or_review")
    assert flagged or costs


def test_the_index_has_every_detour_that_lies_here_and_some_are_only_flagged(lesson: Lesson) -> None:
    lying = {path.name for path in (GOLDEN / "broken").iterdir() if path.name.startswith("banned_")}
    assert {case["path"] for case in BANNED} == lying
    hidden = [case for case in BANNED if case.get("or_review")]
    assert hidden
    for case in hidden:
        assert case["step"] in flags(lesson, GOLDEN / "broken" / case["path"]), case["path"]
