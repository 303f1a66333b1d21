"""Hostile, broken and odd submissions, graded in the jail: each gives the record that the index says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from grader.grading import Session, grade
from grader.records import Record, StepRecord
from tests.hostile_tools import BROKEN, HIDDEN, QUICK, SEED, SLUG, hurried, settles, texts

ROOT = Path(__file__).resolve().parent.parent
INDEX = yaml.safe_load((BROKEN / "index.yaml").read_text("utf-8"))
CASES = {case["path"]: case for case in INDEX["cases"]}
OWN = 6  # two workers: bubblewrap, its init and the zygote in it, and the reference's; one more of each in a change

pytestmark = pytest.mark.hostile


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    with Session(SLUG, SEED) as made:
        yield made


@pytest.fixture(scope="module")
def hasty() -> Iterator[Session]:
    """A session whose lesson has short limits, for those who wait for one."""
    with Session(SLUG, SEED) as made:
        made.grade(BROKEN / "file_misspelled")
        hurried(made, **QUICK)
        yield made


def step(record: Record, name: str) -> StepRecord:
    return next(step for step in record.steps if step.id == name)


def agree(case: Mapping[str, Any], record: Record) -> None:
    """The record is what the index says."""
    said = " ".join(texts(record))
    for found in record.steps:
        wanted = case["steps"].get(found.id, "not_attempted")
        wanted = [wanted] if isinstance(wanted, str) else wanted
        reviewed = case.get("or_review") and found.id == case["step"] and found.review
        assert found.status in wanted or reviewed, f"{found.id} is {found.status}: {found.note} {found.checks}"
        if found.status == "passed":
            assert found.score == found.max_score
    for words in case.get("says", ()):
        assert words.lower() in said.lower(), said
    for words in case.get("escaped", ()):
        assert words in said
    if case.get("banned") and not case.get("or_review"):
        assert step(record, case["step"]).score == 0
    assert [text for text in texts(record) if HIDDEN.search(text)] == []
    assert [text for text in texts(record) if len(text) > 500] == []


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if not case.get("slow")])
def test_a_case_gives_the_record_of_the_index(session: Session, name: str) -> None:
    began = time.monotonic()
    record = session.grade(BROKEN / name)
    agree(CASES[name], record)
    assert time.monotonic() - began < 60
    assert settles(OWN), "a process of the submission is still there"
    for path in CASES[name].get("must_not_exist", ()):
        assert not list(BROKEN.rglob(path))
        assert not (Path("/tmp") / path).exists()


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.get("slow")])
def test_who_waits_for_a_limit_fails_alone(hasty: Session, name: str) -> None:
    record = hasty.grade(BROKEN / name)
    agree(CASES[name], record)
    assert settles(OWN), "a process of the submission is still there"
    if CASES[name].get("limit"):
        assert "did not come back within 1.2 s" in " ".join(texts(record))
