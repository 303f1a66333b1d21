"""Checks from inside a notebook: what its cells have defined so far is graded in processes of its own.

The learner's code has run in this kernel, so nothing here is proof against it; what counts is graded elsewhere.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from grader.apart import grade_apart
from grader.platforms.rows import told
from grader.records import Record, StepRecord
from grader.report import story

COURSE = "GRADER_COURSE"  # a folder with exercises/ and, where it counts, reference/
SECONDS = 200.0
SIGNS = {"passed": "✓", "partial": "~", "not_attempted": "·"}


def check(step: str = "") -> None:
    """Print what is right and what is not: of one step, or of all of them."""
    record = graded()
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


def points(step: str, out_of: float) -> float:
    """Print a step's outcome and give its points as the last value of a graded cell, `out_of` for all of them.

    Raises AssertionError, whose text says why, when there are none.
    """
    record = graded()
    found = next((one for one in record.steps if one.id == step), None) if record is not None else None
    if found is None or found.status == "broken":
        raise AssertionError("the grader itself failed here, not you; tell who gave you this lesson")
    earned = round(out_of * found.score / found.max_score, 4)
    text = told(found)
    if not earned:
        raise AssertionError(text)
    _say(f"{line_of(found)}\n{text}")
    return earned


def line_of(step: StepRecord) -> str:
    """`✓ Join the heads: 10 of 10`."""
    sign = SIGNS.get(step.status, "✗")
    score, most = story.number(step.score), story.number(step.max_score)
    return f"{sign} {story.title_of(step)}: {score} of {most}"


def graded(cells: Sequence[str] | None = None) -> Record | None:
    """The record of the cells run so far; None when it could not be made, which is then said."""
    sources = _history() if cells is None else cells
    with tempfile.TemporaryDirectory(prefix="grader-") as folder:
        work = Path(folder) / "notebook.ipynb"
        work.write_text(json.dumps(_notebook(sources)), encoding="utf-8")
        done = grade_apart(work, _root(), SECONDS)
    if done.record is None:
        _say(done.said)
    return done.record


def _root() -> Path:
    """Where the lesson is: the folder that the environment names, the engine's own, or the current one."""
    named = os.environ.get(COURSE, "")
    beside = Path(__file__).resolve().parent.parent.parent
    for place in (Path(named) if named else None, beside):
        if place is not None and (place / "exercises").is_dir():
            return place
    return Path.cwd()


def _history() -> list[str]:
    """What has been run in this kernel, in order; the last definition of a name counts, as in the kernel."""
    try:
        shell = get_ipython()  # type: ignore[name-defined]  # IPython puts it among the builtins
    except NameError:
        raise RuntimeError("check() works in a notebook; elsewhere use `grader grade PATH`") from None
    return [str(source) for source in shell.user_ns.get("In", []) if str(source).strip()]


def _notebook(sources: Sequence[str]) -> dict[str, Any]:
    frame: dict[str, Any] = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
    cells = [{**frame, "id": f"cell-{number}", "source": source} for number, source in enumerate(sources)]
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
