"""What platforms are sent validates against schemas written from their own specifications, and nothing broken does."""

from __future__ import annotations

import copy
import datetime
import functools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from jsonschema import Draft202012Validator

from grader.core.records import Record
from grader.course.platforms.classroom50 import result
from grader.course.platforms.gradescope import failed, headline, results
from grader.lesson.lesson import find_lesson
from grader.quiz.marking.mark import MarkedAnswer, QuizRecord
from grader.report.rows import Row, rows, unrun
from tests.tools.report_records import BOIL, FULL, MIDWAY, RECORDS, SKELETON, check, record, step

ROOT = Path(__file__).resolve().parents[2]
SCHEMAS = Path(__file__).resolve().parents[1] / "data" / "schemas"
GIVEN = {
    "CLASSROOM": "dl", "ASSIGNMENT": "mha", "ASSIGNMENT_TYPE": "individual", "USERNAME": "ana",
    "SUBMISSION_TAG": "submit/2026-11-30T07-59-30Z-a1b2c3d", "COMMIT_URL": "c", "RELEASE_URL": "r", "REVIEW_URL": "v",
}  # fmt: skip
NOW = datetime.datetime(2026, 12, 24, 8, 0, tzinfo=datetime.UTC)
WRONG = record(step("attend", "failed", 0, 20, checks=(check("plain", "failed", 0, 20, message="x" * 9000),)))
BROKEN = record(step("attend", "broken", 0, 20, note="the expected answers could not be computed"))
LONG = record(step("attend", "failed", 0, 20, title="T" * 300, note="é" * 9000))
THIRDS = record(step("attend", "partial", 20 / 3, 20), step("project", "passed", 15, 15))
SUBMISSIONS = {
    "right": FULL, "wrong": WRONG, "broken": BROKEN, "not begun": SKELETON, "midway": MIDWAY, "without steps": record(),
    "partial": record(BOIL), "long texts": LONG, "thirds": THIRDS,
}  # fmt: skip
QUIZ = QuizRecord(
    quiz="q", learner="ana", score=0.5, max_score=1, needs_review=0,
    questions=(MarkedAnswer(id="kc-01", outcome="partial", points=0.5, max_points=1, message="half"),),
)  # fmt: skip


@functools.cache
def validator(name: str) -> Draft202012Validator:
    schema = json.loads((SCHEMAS / f"{name}.json").read_text("utf-8"))
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def problems(name: str, made: object) -> list[str]:
    plain = json.loads(json.dumps(made, allow_nan=False))
    return [f"{error.json_path}: {error.message}" for error in validator(name).iter_errors(plain)]


def gradescope(graded: Record, quiz: QuizRecord | None = None) -> dict[str, Any]:
    return results(rows(graded, 0.4), headline(graded, 0.4), 1.23, "after_due_date", quiz)


def classroom50(graded: Record) -> dict[str, Any]:
    return result(rows(graded, 0.4), GIVEN, NOW)


@pytest.mark.parametrize("name", SUBMISSIONS)
def test_what_is_sent_of_a_submission_validates(name: str) -> None:
    graded = SUBMISSIONS[name]
    assert problems("gradescope_results", gradescope(graded)) == []
    assert problems("gradescope_results", gradescope(graded, QUIZ)) == []
    assert problems("classroom50_result", classroom50(graded)) == []


@settings(max_examples=60, deadline=None)
@given(RECORDS)
def test_what_is_sent_of_any_record_validates(graded: Record) -> None:
    assert problems("gradescope_results", gradescope(graded, QUIZ)) == []
    assert problems("classroom50_result", classroom50(graded)) == []


def test_what_is_sent_when_nothing_was_run_validates() -> None:
    lesson = find_lesson("multi_head_attention", ROOT)
    for why in ("not run", "nothing of the lesson in it: " + "x" * 400):
        assert problems("gradescope_results", results(unrun(lesson, 0.4, why), why, 0.0, "hidden")) == []
        assert problems("gradescope_results", failed(lesson, 0.4, why, 1.0, "visible")) == []
        assert problems("classroom50_result", result(unrun(lesson, 0.4, why), GIVEN, NOW)) == []


def test_a_lesson_of_more_steps_than_classroom50_has_rows_still_validates() -> None:
    many = [Row(f"s{number}", f"Step {number}", True, 1.0, 1.0, "right") for number in range(130)]
    assert problems("classroom50_result", result(many, GIVEN, NOW)) == []


Broken = Callable[[dict[str, Any]], object]
GRADESCOPE: dict[str, Broken] = {
    "no score anywhere": lambda made: made["tests"][0].pop("score"),
    "no rows": lambda made: made.pop("tests"),
    "a score that is a text": lambda made: made["tests"][0].update(score="15"),
    "an unknown visibility": lambda made: made.update(visibility="after_due"),
    "an unknown format": lambda made: made["tests"][0].update(output_format="markdown"),
    "an unknown status": lambda made: made["tests"][0].update(status="partial"),
    "a number that is no text": lambda made: made["tests"][0].update(number=1),
    "a misspelt key": lambda made: made.update(std_out_visibility="hidden"),
    "a misspelt key in a row": lambda made: made["tests"][0].update(maxscore=1),
    "a place without a value": lambda made: made.update(leaderboard=[{"name": "points"}]),
    "rows that are no list": lambda made: made.update(tests={}),
}
CLASSROOM: dict[str, Broken] = {
    **{f"no {key}": (lambda made, key=key: made.pop(key)) for key in classroom50(FULL) if key != "graded_at"},
    "half a point": lambda made: made.update(score=7.5),
    "half a point in a row": lambda made: made["tests"][0].update(score=7.5),
    "points below nothing": lambda made: made["tests"][0].update(score=-1),
    "101 rows": lambda made: made.update(tests=[made["tests"][0]] * 101),
    "2001 characters": lambda made: made["tests"][0].update(message="x" * 2001),
    "a row that does not say whether it passed": lambda made: made["tests"][0].pop("passed"),
    "a row without a name": lambda made: made["tests"][0].update({"test-name": ""}),
    "a local time": lambda made: made.update(datetime="2026-11-30T08:00:00+01:00"),
    "an hour that is none": lambda made: made.update(datetime="2026-11-30T25:00:00Z"),
    "a tag of another kind": lambda made: made.update(submission="v1"),
    "no owner's name": lambda made: made.update(owner=""),
    "another version": lambda made: made.update(schema="classroom50/result/v2"),
    "a key of ours": lambda made: made.update(seed=7),
}


@pytest.mark.parametrize("name", GRADESCOPE)
def test_the_schema_of_gradescope_refuses(name: str) -> None:
    made = copy.deepcopy(gradescope(FULL))
    assert problems("gradescope_results", made) == []
    GRADESCOPE[name](made)
    assert problems("gradescope_results", made)


@pytest.mark.parametrize("name", CLASSROOM)
def test_the_schema_of_classroom50_refuses(name: str) -> None:
    made = copy.deepcopy(classroom50(FULL))
    assert problems("classroom50_result", made) == []
    CLASSROOM[name](made)
    assert problems("classroom50_result", made)


def test_as_many_rows_and_characters_as_may_be_are_not_refused() -> None:
    made = classroom50(FULL)
    made["tests"] = [{**made["tests"][0], "message": "x" * 2000}] * 100
    assert problems("classroom50_result", made) == []


# --- when the work was handed in --------------------------------------------------------------------


def test_grading_again_does_not_make_work_late() -> None:
    made = result(rows(FULL), GIVEN, NOW)
    assert (made["datetime"], made["graded_at"]) == ("2026-11-30T07:59:30Z", "2026-12-24T08:00:00Z")


@pytest.mark.parametrize("tag", ["submit/phase1", "submit/2026-13-30T07-59-30Z-a1b2c3d", "submit/2026-11-30"])
def test_a_tag_without_a_time_leaves_the_time_of_grading(tag: str) -> None:
    made = result(rows(FULL), {**GIVEN, "SUBMISSION_TAG": tag}, NOW)
    assert made["datetime"] == "2026-12-24T08:00:00Z"
    assert problems("classroom50_result", made) == []
