"""What platforms that show rows need of a record: one row a step, its points scaled, its story as plain text."""

from __future__ import annotations

from dataclasses import dataclass

from grader.core.records import Record, StepRecord
from grader.lesson.lesson import Lesson

from . import story

LONG = 1800  # characters of one row; the strictest platform takes 2000


@dataclass(frozen=True, slots=True)
class Row:
    """One step as a platform shows it."""

    id: str
    title: str
    passed: bool
    score: float
    max_score: float
    text: str


def scale_of(points: float | None, most: float) -> float:
    """By what points are multiplied so that the whole is worth so many; 1 where nobody says how many."""
    return 1.0 if points is None else points / most


def rows(record: Record, scale: float = 1.0) -> list[Row]:
    """The record's steps; `scale` is what a point of the lesson is worth on the platform."""
    return [
        Row(
            step.id,
            story.title_of(step),
            step.status == "passed",
            round(step.score * scale, 4),
            round(step.max_score * scale, 4),
            told(step),
        )
        for step in record.steps
    ]


def unrun(lesson: Lesson, scale: float, why: str) -> list[Row]:
    """The lesson's steps before anything has been run, or when nothing could be."""
    return [Row(step.id, step.title, False, 0.0, round(step.points * scale, 4), why) for step in lesson.steps]


def told(step: StepRecord) -> str:
    """A step's story: its mistakes, or what failed and why; then one next step."""
    if step.status == "passed":
        return story.shown(step.note) or "right"
    if step.status == "not_attempted":
        return story.shown(step.note) or "not attempted"
    parts = [story.OUR_FAULT] if step.status == "broken" else []
    parts += [f"{story.shown(m.title)}\n{' '.join(story.shown_lines(m.message))}" for m in step.mistakes]
    parts += [story.check_line(check) for check in story.failing(step)]
    parts += story.shown_lines(step.note)
    parts += [f"for a person to look at: {story.shown(line)}" for line in step.review]
    hint = story.next_hint(step)
    ending = f"\nNext: {hint}" if hint else ""
    text = "\n".join(parts)
    room = LONG - len(ending)
    return (text if len(text) <= room else f"{text[: room - 2]} …") + ending
