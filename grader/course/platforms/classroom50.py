"""Classroom 50: result.json by the schema `classroom50/result/v1`, which knows whole points only."""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping, Sequence
from typing import Any

from grader.core.errors import InputError
from grader.report.rows import Row

SCHEMA = "classroom50/result/v1"
MOST_ROWS = 100
FACTORS = (1, 10, 100)
TAGGED = re.compile(r"submit/(\d{4}-\d\d-\d\dT)(\d\d)-(\d\d)-(\d\dZ)(?=-|$)")
ASKED = {
    "classroom": "CLASSROOM",
    "assignment": "ASSIGNMENT",
    "assignment_type": "ASSIGNMENT_TYPE",
    "owner": "OWNER",
    "submission": "SUBMISSION_TAG",
    "commit": "COMMIT_URL",
    "release": "RELEASE_URL",
    "review": "REVIEW_URL",
}


def result(found: Sequence[Row], given: Mapping[str, str], now: datetime.datetime) -> dict[str, Any]:
    """result.json as a value; `given` is the environment of the autograder. Raises InputError where it lacks a name."""
    facts = {name: given.get(key, "") for name, key in ASKED.items()}
    facts["owner"] = facts["owner"] or given.get("USERNAME", "")
    missing = [ASKED[name] for name, value in facts.items() if not value]
    if missing:
        raise InputError(f"{missing[0]} is not set; Classroom 50 sets it for its autograders")
    factor = whole(found)
    shown = list(found)[:MOST_ROWS]
    return {
        "schema": SCHEMA,
        **facts,
        "datetime": _handed_in(facts["submission"], now),
        "graded_at": _instant(now),
        "score": sum(_whole(row.score, factor) for row in shown),
        "max-score": sum(_whole(row.max_score, factor) for row in shown),
        "tests": [
            {
                "test-name": row.title[:100],
                "passed": row.passed,
                "score": _whole(row.score, factor),
                "max-score": _whole(row.max_score, factor),
                "message": row.text,
            }
            for row in shown
        ],
    }


def _handed_in(tag: str, now: datetime.datetime) -> str:
    """When the work was handed in, as its tag says: grading it again must not make it late."""
    match = TAGGED.match(tag)
    try:
        at = datetime.datetime.fromisoformat("{}{}:{}:{}".format(*match.groups())) if match else now
    except ValueError:
        at = now
    return _instant(at)


def _instant(at: datetime.datetime) -> str:
    return at.astimezone(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def whole(found: Sequence[Row]) -> int:
    """By what all points have to be multiplied to be whole: 1 where they are, else 10, else 100."""
    numbers = [number for row in found for number in (row.score, row.max_score)]
    for factor in FACTORS:
        if all(abs(number * factor - round(number * factor)) < 1e-6 for number in numbers):
            return factor
    return FACTORS[-1]


def _whole(number: float, factor: int) -> int:
    return round(number * factor)
