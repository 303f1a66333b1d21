"""How many points rest on what the guest's own process says of itself: few, and docs/SECURITY.md lists them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from grader.judging.judge import hold
from grader.judging.pytest_plugin import Judge
from grader.lesson.lesson import find_lesson, lesson_slugs

ROOT = Path(__file__).resolve().parents[2]
MOST = 4.0  # of a hundred


class Listed(Judge):
    """Notes what every check claims, and lets them be judged on nothing."""

    def __init__(self) -> None:
        super().__init__({}, ())
        self.claims: list[Mapping[str, Any]] = []

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        marks = [(item.name, item.get_closest_marker("criterion")) for item in items]
        self.claims = [{**mark.kwargs, "name": name.removeprefix("test_")} for name, mark in marks if mark]


def claims(slug: str) -> list[Mapping[str, Any]]:
    """What each check of a lesson claims, with the check's own name."""
    listed = Listed()
    hold(ROOT / "exercises" / slug / "checks.py", listed)
    return listed.claims


@pytest.mark.parametrize("slug", lesson_slugs(ROOT))
def test_few_points_hang_on_testimony(slug: str) -> None:
    made = claims(slug)
    whole = sum(claim["points"] for claim in made)
    assert whole == find_lesson(slug, ROOT).max_score
    assert sum(claim["points"] for claim in made if claim["testimony"]) <= MOST * whole / 100


def test_no_check_of_values_is_testimony() -> None:
    assert not [
        claim
        for slug in lesson_slugs(ROOT)
        for claim in claims(slug)
        if claim["value"] and claim["testimony"]
    ]


def test_the_page_for_instructors_lists_them_with_their_points() -> None:
    page = (ROOT / "docs" / "SECURITY.md").read_text("utf-8")
    listed = {
        name: float(points) for name, points in re.findall(r"^\| `(\w+)` \| ([\d.]+) \|", page, re.MULTILINE)
    }
    said = {c["name"]: c["points"] for slug in lesson_slugs(ROOT) for c in claims(slug) if c["testimony"]}
    assert listed == said
