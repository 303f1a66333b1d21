"""A whole lesson of one step, with two known mistakes and a quiz of one question, to be laid out beside others."""

from __future__ import annotations

from pathlib import Path

SLUG = "tiny"
LESSON = """
version: 1
title: Adding
module: "0.1"
summary: Add two vectors.
objectives: [{id: sum, text: Add., steps: [add]}]
public_seed: 3
steps:
  - {id: add, title: Add, file: add.py, points: 3, provides: [{name: add}], hint: Look at the sign.}
"""
SKELETON = '''
"""Add.

By hand: 1 and 2 make 3.
"""

from torch import Tensor


def add(a: Tensor, b: Tensor, scale: float = 1.0) -> Tensor:
    """The sum of a and scale times b."""
    # TODO(add): one line is enough
    raise NotImplementedError("add: not written yet")
'''
CHECKS = '''
from grader.author import Select, criterion


@criterion("add", 2, value=True)
def test_add_values(cases: Select) -> None:
    """The sum is the sum."""
    for case in cases("values"):
        case.agrees("y")


@criterion("add", 1)
def test_add_order(cases: Select) -> None:
    """Neither is taken for the other."""
    for case in cases("values"):
        case.agrees("y")
'''
SOLUTION = '''
"""Add."""


def add(a, b, scale=1.0):
    """The sum of a and scale times b."""
    return a + scale * b
'''
PROBES = """
from grader.lesson.probes import Draw, Probe, call


def probes(seed: int) -> list[Probe]:
    draw = Draw(seed, "add")
    return [
        Probe(
            id=f"add/plain-{n}", step="add", tags=frozenset({"values"}), say=f"{n} numbers",
            tensors={"a": draw.normal(n), "b": draw.normal(n)}, script=(call("add", "a", "b", to="y"),), report=("y",),
        )
        for n in (2, 5)
    ]
"""
MISTAKES = """
- {id: minus, home: add, title: Minus, message: You subtract., hint: [a, b, c]}
- {id: twice, home: add, title: Twice, message: You add twice., hint: [a, b, c]}
"""
OVERLAY = """
def overlay(ids):
    factor = (-1 if "minus" in ids else 1) * (2 if "twice" in ids else 1)
    return {"add": {"add": lambda a, b: a + factor * b}}
"""
BANK = """
version: 1
quiz: tiny
title: Adding
lesson: tiny
check: [kc-01]
questions:
  - id: kc-01
    kind: true_false
    objective: sum
    difficulty: easy
    prompt: Is one and one two?
    explanation: It is.
    answer: true
    feedback: {true: "Yes.", false: "Count again."}
"""
FILES = {
    "exercises/tiny/lesson.yaml": LESSON,
    "exercises/tiny/add.py": SKELETON,
    "exercises/tiny/checks.py": CHECKS,
    "exercises/tiny/README.md": "# Adding\n\nAdd two vectors.\n",
    "reference/tiny/solution/add.py": SOLUTION,
    "reference/tiny/probes/__init__.py": PROBES,
    "reference/tiny/mistakes.yaml": MISTAKES,
    "reference/tiny/mistakes.py": OVERLAY,
    "quizzes/tiny.yaml": BANK,
}


def lay_out(course: Path) -> Path:
    """The same folder, with the lesson in it."""
    for name, text in FILES.items():
        (course / name).parent.mkdir(parents=True, exist_ok=True)
        (course / name).write_text(text.lstrip(), encoding="utf-8")
    return course
