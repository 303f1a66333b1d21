"""What the tests of golden submissions share: where they are, what their index says, which names are right."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from grader.lesson.reference import Mistake
from tests.tools.golden_tree import GOLDEN

ROOT = Path(__file__).resolve().parents[2]
SOLUTION = ROOT / "reference" / "multi_head_attention" / "solution"


def index(kind: str) -> list[Mapping[str, Any]]:
    """The entries of one kind's index: right, wrong or broken."""
    held = yaml.safe_load((GOLDEN / kind / "index.yaml").read_text("utf-8"))
    entries: list[Mapping[str, Any]] = held if isinstance(held, list) else held["submissions"]
    return entries


def names_of(entry: Mistake) -> set[str]:
    """The names that are right for a known mistake: its own, and its twins'."""
    return {entry.name, *entry.twins}
