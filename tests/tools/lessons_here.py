"""The lessons of this house, for tests: the one whose content a test knows, and all of them where any will do."""

from __future__ import annotations

from pathlib import Path

from grader.lesson.courses import lesson_slugs
from grader.lesson.lesson import Lesson, find_lesson

ROOT = Path(__file__).resolve().parents[2]
SLUG = "multi_head_attention"
SLUGS = lesson_slugs(ROOT)


def the_lesson() -> Lesson:
    """Multi-head attention, whatever else lies beside it."""
    return find_lesson(SLUG, ROOT)
