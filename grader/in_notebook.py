"""Checks from inside a notebook: what its cells have defined so far is graded in processes of its own.

The learner's code has run in this kernel, so nothing here is proof against it; what counts is graded elsewhere.
"""

from __future__ import annotations

import functools
import json
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .core.errors import MachineError
from .core.notebook_hosts import AUTOGRADE, GRADING, OTTER_CONFIG, OTTER_FILES
from .core.records import Record, StepRecord
from .grading.separate import Apart, grade_apart
from .lesson.courses import VARIABLE
from .report import story
from .report.rows import told
from .submission.notebook import OURS

OTTER_CELLS = "from otter"  # how the cells begin that otter puts before and after a learner's
SECONDS = 200.0
NOT_YOURS = "the grader itself failed here, not you; tell who gave you this lesson"
SIGNS = {"passed": "✓", "partial": "~", "not_attempted": "·"}


def check(step: str = "", *, course: str = "") -> None:
    """Print what is right and what is not: of one step, or of all of them.

    `course` is the folder that holds exercises/, unless GRADER_COURSE names another.
    """
    record = None if GRADING in os.environ else graded(course)
    if record is None:
        return
    shown = [one for one in record.steps if step in ("", one.id)]
    if not shown:
        _say(f"No step is called {step!r}; there are {', '.join(one.id for one in record.steps)}.")
    for one in shown:
        _say(line_of(one))
        if one.status != "passed" and (step or one.status != "not_attempted"):
            _say("\n".join(f"    {line}" for line in told(one).splitlines()))
    if not step:
        _say(f"\n{story.number(record.score)} of {story.number(record.max_score)} points")


def points(step: str, out_of: float, *, course: str = "") -> float:
    """Print a step's outcome and give its points as the last value of a graded cell, `out_of` for all of them.

    Raises AssertionError, whose text says why, when there are none; MachineError when a class is graded and nobody
    may have a zero of it.
    """
    found = _step(step, course)
    worth = round(out_of * found.score / found.max_score, 4)
    text = told(found)
    if not worth:
        raise AssertionError(text)
    _say(f"{line_of(found)}\n{text}")
    return worth


def earned(step: str, check: str, *, course: str = "") -> None:
    """A test case that passes if this check of a step earned its points.

    Raises AssertionError, whose text says why not: the first such check of a step tells the step's whole story. Raises
    MachineError when a class is graded and nobody may have a zero of it.
    """
    found = _step(step, course)
    one = next((each for each in found.checks if each.id == check), None)
    if found.score >= found.max_score or (one is not None and one.points >= one.max_points):
        return
    first = next((each for each in found.checks if each.points < each.max_points), one)
    text = told(found) if one is None or one is first else story.check_line(one)
    raise AssertionError(text.replace("<", "‹"))  # otter hands it to a page as it is


def line_of(step: StepRecord) -> str:
    """`✓ Join the heads: 10 of 10`."""
    sign = SIGNS.get(step.status, "✗")
    score, most = story.number(step.score), story.number(step.max_score)
    return f"{sign} {story.title_of(step)}: {score} of {most}"


def graded(course: str) -> Record | None:
    """The record of the cells run so far; None when it could not be made, which is then said."""
    done = _done(course)
    if done.record is None:
        _say(done.said)
    return done.record


def _step(step: str, course: str) -> StepRecord:
    """One step of the cells run so far. Raises AssertionError, MachineError when there is no grade to speak of."""
    done = _done(course)
    if done.unusable:
        raise AssertionError(done.said)
    steps = () if done.record is None else done.record.steps
    found = next((one for one in steps if one.id == step), None)
    if found is not None and found.status != "broken":
        return found
    if _class_is_graded():
        raise MachineError(done.fault or f"the course has no step {step}")
    raise AssertionError(NOT_YOURS)


def _class_is_graded() -> bool:
    """Whether what cells give becomes points."""
    return os.environ.get(GRADING) == AUTOGRADE or OTTER_CONFIG.is_file()


def _done(course: str) -> Apart:
    return _graded(tuple(_history()), _course(course))


@functools.lru_cache(maxsize=1)
def _graded(sources: tuple[str, ...], course: Path | None) -> Apart:
    """One grade for all that asks while nothing new has been run."""
    with tempfile.TemporaryDirectory(prefix="grader-") as folder:
        work = Path(folder) / "notebook.ipynb"
        work.write_text(json.dumps(_notebook(sources)), encoding="utf-8")
        return grade_apart(work, course, SECONDS)


def _course(said: str) -> Path | None:
    """The course's folder: as the environment says, as otter lays it out, as the cell says; None where none does."""
    named = os.environ.get(VARIABLE, "")
    if named:
        return Path(named)
    if (OTTER_FILES / "exercises").is_dir():
        return OTTER_FILES
    return Path(said) if said else None


def _history() -> list[str]:
    """What a learner has run in this kernel, in order; the last definition of a name counts, as in the kernel."""
    try:
        shell = get_ipython()  # type: ignore[name-defined]  # IPython puts it among the builtins
    except NameError:
        raise RuntimeError("check() works in a notebook; elsewhere use `grader grade PATH`") from None
    cells = (str(source) for source in shell.user_ns.get("In", []))
    return [cell for cell in cells if cell.strip() and not cell.startswith((OURS, OTTER_CELLS))]


def _notebook(sources: Sequence[str]) -> dict[str, Any]:
    frame: dict[str, Any] = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
    cells = [{**frame, "id": f"cell-{number}", "source": source} for number, source in enumerate(sources)]
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
