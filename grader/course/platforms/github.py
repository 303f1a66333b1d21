"""GitHub: a job summary in Markdown, annotations on the learner's own lines, and the retired graders' payload.

Summary and commands are those of "Workflow commands for GitHub Actions"; the payload is that of the
classroom-resources graders, which successors of GitHub Classroom still read.
"""

from __future__ import annotations

import base64
import json
import os
from pathlib import Path
from typing import Literal

from grader.core.errors import GraderError, InputError
from grader.core.escape import markdown_block, markdown_inline, workflow_command
from grader.core.records import Record, StepRecord
from grader.lesson.lesson import Lesson
from grader.report import story
from grader.report.rows import Row, rows, told
from grader.submission.reader import read_submission

SIGNS = {"passed": "✅", "partial": "🟡", "not_attempted": "⚪"}


def summary(record: Record, title: str, late: str = "", scale: float = 1.0) -> str:
    """The grade as Markdown: points, a table of the steps, then what each undone one says, as plain text in blocks.

    `late` is one sentence about work that came late; all points are multiplied by `scale`.
    """
    lines = [
        f"## {markdown_inline(title)}: {_of(record, scale, 'of')} points",
        "",
        "| | step | points |",
        "|---|---|---|",
        *(
            f"| {SIGNS.get(step.status, '❌')} | {markdown_inline(story.title_of(step), cell=True)} "
            f"| {_of(step, scale, '/')} |"
            for step in record.steps
        ),
        "",
    ]
    for step in record.steps:
        if step.status not in ("passed", "not_attempted"):
            lines += [f"### {markdown_inline(story.title_of(step))}", "", markdown_block(told(step))]
    lines += [markdown_inline(warning) for warning in (*record.warnings, late) if warning]
    isolation = str(record.environment.get("isolation", "unknown"))
    lines.append(f"Isolation {markdown_inline(isolation)}, seed {record.seed}.")
    lines += [story.practice(record)] if story.practice(record) else []
    return "\n".join(lines) + "\n"


def unusable(why: str, title: str) -> tuple[str, str]:
    """The summary and the annotation of work in which there is nothing to grade."""
    head = f"## {markdown_inline(title)}: nothing could be graded"
    return f"{head}\n\n{markdown_block(why)}", workflow_command("error", why, title="Nothing could be graded")


def commands(record: Record, lesson: Lesson, submission: Path, prefix: str, scale: float = 1.0) -> list[str]:
    """One workflow command for each step that is not right, on the line where its name is defined.

    `prefix` is the submission's folder as the repository calls it; all points are multiplied by `scale`.
    """
    steps = {step.id for step in lesson.steps}
    places = _places(lesson, submission)
    found = []
    for step in record.steps:
        if step.status in ("passed", "not_attempted") or step.id not in steps:
            continue
        file, line = places.get(step.id, ("", None))
        where = f"{prefix.rstrip('/')}/{file}" if file and prefix else file
        kind: Literal["error", "warning"] = "warning" if step.status == "partial" else "error"
        found.append(
            workflow_command(
                kind,
                told(step),
                file=where,
                line=line,
                title=f"{story.title_of(step)}: {_of(step, scale, 'of')}",
            )
        )
    return found


def payload(record: Record) -> str:
    """The retired graders' result: base64 of JSON, version 1."""
    made = [
        {
            "name": row.title,
            "status": "pass" if row.passed else "fail",
            "score": row.score,
            "message": row.text,
            "test_code": row.id,
            "filename": "",
            "line_no": 0,
            "duration": 0,
        }
        for row in rows(record)
    ]
    plain = {"version": 1, "status": _status(rows(record)), "max_score": record.max_score, "tests": made}
    return base64.b64encode(json.dumps(plain, ensure_ascii=True).encode()).decode()


def hand_on_payload(record: Record) -> str:
    """Append `result=…` to the file that GITHUB_OUTPUT names; outside a workflow, the line to be printed."""
    line = f"result={payload(record)}\n"
    place = os.environ.get("GITHUB_OUTPUT", "")
    if not place:
        return line
    try:
        with Path(place).open("a", encoding="utf-8") as file:
            file.write(line)
    except OSError as error:
        raise InputError(f"GITHUB_OUTPUT={place}: cannot be written ({error.strerror})") from None
    return ""


def _status(found: list[Row]) -> str:
    return "pass" if found and all(row.passed for row in found) else "fail"


def _of(earned: Record | StepRecord, scale: float, between: str) -> str:
    """`8 of 10`: points earned and possible."""
    return f"{story.number(earned.score * scale)} {between} {story.number(earned.max_score * scale)}"


def _places(lesson: Lesson, submission: Path) -> dict[str, tuple[str, int | None]]:
    """By step the learner's file and the line of the step's name in it; no line where it is not to be found."""
    try:
        read = read_submission(submission, lesson)
    except GraderError:
        return {}
    codes = {module.path: module.cells[0].code for module in read.modules if read.form == "folder"}
    found: dict[str, tuple[str, int | None]] = {}
    for step in lesson.steps:
        names = {item.name for item in step.provides}
        if step.file in codes:
            made = codes[step.file].definitions
            lines = [one.line for one in made if one.name in names and not one.inside]
            found[step.id] = step.file, lines[-1] if lines else None
        elif step.file in read.problems and (submission / step.file).is_file():
            found[step.id] = step.file, None
    return found
