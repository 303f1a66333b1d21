"""Gradescope: results.json, written when there is a grade, or work in which there is nothing to grade.

When the grader itself failed there is none: the platform then shows that the autograder failed, and no points.
The format and the folders are those of Gradescope's autograder documentation (Autograder Specifications).
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from grader.core.errors import MachineError
from grader.core.escape import json_quiet
from grader.core.files import write_text
from grader.core.records import Record
from grader.grading.separate import Apart, grade_apart
from grader.lesson.lesson import Lesson, find_lesson
from grader.quiz.marking.mark import QuizRecord
from grader.report import story
from grader.report.rows import Row, rows, scale_of, unrun

from .sheets import marked_sheet

SECONDS = 240.0  # for one grade; the platform itself ends it after ten minutes


def run(
    base: Path,
    points: float | None,
    isolation: str,
    visibility: str,
    leaderboard: bool,
    slug: str | None = None,
) -> None:
    """Grade `base`/submission and write `base`/results/results.json.

    Raises GraderError, and leaves no results, where it is not for the learner to mend that there is no grade.
    """
    began = time.monotonic()
    place = base / "results" / "results.json"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.unlink(missing_ok=True)
    lesson = find_lesson(slug, base / "source")
    scale = scale_of(points, lesson.max_score)
    done = _graded(base, isolation, lesson.slug)
    quiz = marked_sheet(base / "submission", base / "source", lesson.slug)
    record = done.record
    if record is None:
        _write(place, failed(lesson, scale, done.said, time.monotonic() - began, visibility))
        return
    found = rows(record, scale)
    said = headline(record, scale)
    made = results(found, said, time.monotonic() - began, visibility, quiz)
    if leaderboard:
        made["leaderboard"] = [{"name": "points", "value": round(record.score * scale, 4)}]
    _write(place, made)


def results(
    found: Sequence[Row], said: str, seconds: float, visibility: str, quiz: QuizRecord | None = None
) -> dict[str, Any]:
    """results.json as a value: a row a step, and one a question where a sheet was handed in."""
    tests = [_row(number, row) for number, row in enumerate(found, 1)]
    if quiz is not None:
        tests += [
            {
                "name": f"Knowledge check: {one.id}",
                "number": f"{len(found) + 1}.{place}",
                "score": one.points,
                "max_score": one.max_points,
                "output": one.message,
                "output_format": "text",
                "tags": ["quiz", one.outcome],
            }
            for place, one in enumerate(quiz.questions, 1)
        ]
    return {
        "output": said,
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "visibility": visibility,
        "stdout_visibility": "hidden",
        "execution_time": round(seconds, 1),
        "tests": tests,
    }


def failed(lesson: Lesson, scale: float, fault: str, seconds: float, visibility: str) -> dict[str, Any]:
    """results.json for a submission that could not be graded, with the reason in the first place."""
    return results(unrun(lesson, scale, "not run"), fault, seconds, visibility)


def headline(record: Record, scale: float) -> str:
    """The first line a learner reads, and what a person of the staff should know."""
    lines = [f"{record.score * scale:g} of {record.max_score * scale:g} points"]
    lines += [story.practice(record)] if story.practice(record) else []
    lines += record.warnings
    lines.append(f"isolation: {record.environment.get('isolation', 'unknown')}; seed {record.seed}")
    return "\n".join(lines)


def _row(number: int, row: Row) -> dict[str, Any]:
    return {
        "name": row.title,
        "number": str(number),
        "score": row.score,
        "max_score": row.max_score,
        "status": "passed" if row.passed else "failed",
        "output": row.text,
        "output_format": "text",
        "tags": [row.id],
    }


def _graded(base: Path, isolation: str, slug: str) -> Apart:
    """The record, or why the work cannot be used; a process of its own, so that nothing outlives its time.

    Raises MachineError for every other fault.
    """
    options = ("--require-isolation", isolation, "--lesson", slug)
    done = grade_apart(base / "submission", base / "source", SECONDS, options=options)
    if done.fault:
        raise MachineError(f"the grader or its machine failed, not the learner; no results: {done.fault}")
    return done


def _write(place: Path, made: dict[str, Any]) -> None:
    write_text(place, json_quiet(json.dumps(made, ensure_ascii=False, indent=1, allow_nan=False)) + "\n")
