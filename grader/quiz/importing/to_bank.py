"""A bank made of questions found elsewhere, as YAML; each is checked as the bank's own are."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import yaml
from pydantic import TypeAdapter, ValidationError

from grader.core.text import printable
from grader.lesson.lesson import Lesson
from grader.quiz.bank.checking import problems
from grader.quiz.export.items import LOST
from grader.quiz.export.plan import Losses
from grader.quiz.questions.questions import Question

from .found import Fields, Found

__all__ = ["Frame", "bank_yaml", "slug"]

_QUESTION: TypeAdapter[Question] = TypeAdapter(Question)
OURS = ("kind:", "ask:", "points:", "objective:", "difficulty:", "step:", "partial:", "lost:")
NO_EXPLANATION = "To be written: why the answer is right."


@dataclass(frozen=True, slots=True)
class Frame:
    """What a bank says beside its questions, and what a question gets that says no objective."""

    quiz: str
    title: str
    lesson: str
    objective: str


def slug(text: str, rest: str = "-") -> str:
    """The text as an id; "" where nothing of it can be one."""
    plain = re.sub(rf"[^a-z0-9{rest}]+", "-", text.strip().casefold()).strip("-_")
    plain = re.sub(r"^[^a-z]+", "", plain)
    return plain[:60].strip("-_")


def bank_yaml(
    found: Iterable[tuple[Found, Fields | None]], frame: Frame, lesson: Lesson | None, losses: Losses
) -> tuple[str, int]:
    """The bank's text and how many questions it holds; what none could be made of is noted."""
    made: list[dict[str, Any]] = []
    taken: set[str] = set()
    for question, fields in found:
        if fields is None:
            continue
        data = _question(question, fields, frame, taken, losses)
        problem = _problem(data, lesson)
        if problem:
            losses.add(f"left out: {problem}", question.name)
            continue
        taken.add(data["id"])
        made.append(data)
    if not made:
        return "", 0
    bank = {
        "version": 1, "quiz": frame.quiz, "title": frame.title, "lesson": frame.lesson,
        "check": [data["id"] for data in made], "questions": made,
    }  # fmt: skip
    text = yaml.dump(bank, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=110)
    return text, len(made)


def _question(found: Found, fields: Fields, frame: Frame, taken: set[str], losses: Losses) -> dict[str, Any]:
    difficulty = found.tag("difficulty")
    tags = [slug(tag, "_-") for tag in found.tags if not tag.startswith(OURS)]
    if not found.explanation:
        losses.add("no general feedback: the explanation is to be written", found.name)
    for name, lost in LOST.items():
        if f"lost:{name}" in found.tags:
            losses.add(lost, found.name)
    objective, step = found.tag("objective"), slug(found.tag("step"), "_-")
    if not objective:
        losses.add(f"no tag `objective:...`: {frame.objective} is taken", found.name)
    return {
        "id": _free(slug(found.name) or "question", taken),
        "kind": fields["kind"],
        "objective": slug(objective, "_-") or frame.objective,
        "difficulty": difficulty if difficulty in ("easy", "medium", "hard") else "medium",
        "points": found.points,
        **({"step": step} if step else {}),
        **({"tags": list(dict.fromkeys(tag for tag in tags if tag))} if any(tags) else {}),
        "prompt": found.prompt or "(no text)",
        **{name: value for name, value in fields.items() if name != "kind"},
        "explanation": found.explanation or NO_EXPLANATION,
    }


def _free(name: str, taken: set[str]) -> str:
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name}-{number}"
    return free


def _problem(data: dict[str, Any], lesson: Lesson | None) -> str:
    """What a bank would say against the question; "" for nothing."""
    try:
        question = _QUESTION.validate_python(data)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"][1:])
        return printable(f"`{where}`: {first['msg'].removeprefix('Value error, ')}", 160)
    return printable(
        next(
            (f"{'.'.join(map(str, loc))}: {text}".lstrip(": ") for loc, text in problems(question, lesson)),
            "",
        ),
        160,
    )


class _Dumper(yaml.SafeDumper):
    """Texts of several lines as blocks, and no anchors for what stands twice."""

    def ignore_aliases(self, data: object) -> bool:  # noqa: ARG002
        return True


def _text(dumper: _Dumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _text)
