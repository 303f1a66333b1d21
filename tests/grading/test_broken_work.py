"""Hostile, broken and odd submissions, graded in the jail: each gives the record that the index says."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from grader.core.errors import InputError
from grader.core.records import Record, StepRecord
from grader.grading.session import Session, grade
from grader.report.terminal import render
from grader.sandbox import jail
from tests.tools.hostile_tools import (
    BROKEN,
    HIDDEN,
    QUICK,
    SEED,
    SLUG,
    below,
    hurried,
    settles,
    texts,
    unnamed,
)

ROOT = Path(__file__).resolve().parents[2]
INDEX = yaml.safe_load((BROKEN / "index.yaml").read_text("utf-8"))
CASES = {case["path"]: case for case in INDEX["cases"]}

pytestmark = pytest.mark.hostile


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    with Session(SLUG, SEED) as made:
        made.grade(BROKEN / "file_misspelled")
        unnamed(made)
        yield made


@pytest.fixture(scope="module")
def hasty() -> Iterator[Session]:
    """A session whose lesson has short limits, for those who wait for one."""
    with Session(SLUG, SEED) as made:
        made.grade(BROKEN / "file_misspelled")
        unnamed(made)
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
        assert found.status in wanted or reviewed, (
            f"{found.id} is {found.status}: {found.note} {found.checks}"
        )
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


def one(session: Session, name: str) -> Record:
    """A case's record; it is what the index says, and nothing of the submission lives on."""
    before = len(below(os.getpid()))
    began = time.monotonic()
    record = session.grade(BROKEN / name)
    agree(CASES[name], record)
    assert time.monotonic() - began < 60
    assert settles(before), "a process of the submission is still there"
    for path in CASES[name].get("must_not_exist", ()):
        assert not list(BROKEN.rglob(path))
        assert not (Path(tempfile.gettempdir()) / path).exists()
    return record


SLOW = [name for name, case in CASES.items() if case.get("slow") or case.get("heavy")]


QUICKER = [name for name in CASES if name not in SLOW]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", QUICKER)
def test_a_case_gives_the_record_of_the_index(session: Session, name: str) -> None:
    one(session, name)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", SLOW)
def test_who_reaches_a_limit_fails_alone(hasty: Session, name: str) -> None:
    record = one(hasty, name)
    if CASES[name].get("limit"):
        assert "did not come back within 1.2 s" in " ".join(texts(record))


# --- other forms ----------------------------------------------------------------------------------


def made(name: str, folder: Path) -> Path:
    """A submission that git cannot keep, made as the index says."""
    right = BROKEN / "right"
    if name == "zip of right/":
        return Path(shutil.make_archive(str(folder / "right"), "zip", right))
    if name == "tar.gz of right/ inside two folders":
        shutil.copytree(right, folder / "top" / "a" / "b")
        return Path(shutil.make_archive(str(folder / "deep"), "gztar", folder / "top"))
    assert name == "link as concat.py"
    shutil.copytree(right, folder / "linked")
    (folder / "linked" / "concat.py").unlink()
    (folder / "linked" / "concat.py").symlink_to("/etc/hostname")
    return folder / "linked"


@pytest.mark.parametrize(
    "case", [case for case in INDEX["inputs"] if case["exit"] == 0], ids=lambda c: c["path"]
)
def test_a_file_of_the_index_gives_its_record(session: Session, case: Mapping[str, Any]) -> None:
    agree(case, session.grade(BROKEN / case["path"]))


@pytest.mark.parametrize(
    "case", [case for case in INDEX["made"] if case["exit"] == 0], ids=lambda c: c["make"]
)
def test_what_is_made_gives_its_record(session: Session, tmp_path: Path, case: Mapping[str, Any]) -> None:
    record = session.grade(made(case["make"], tmp_path))
    graded = {found.id: found.status for found in record.steps if found.id in case["steps"]}
    for name, wanted in case["steps"].items():
        assert graded[name] in ([wanted] if isinstance(wanted, str) else wanted)


def test_a_lone_file_that_is_no_python_is_said_by_its_line(session: Session) -> None:
    try:
        said = " ".join(texts(session.grade(BROKEN / "inputs" / "syntax_error.py")))
    except InputError as error:
        said = str(error)
    assert "line" in said


# --- the whole command ----------------------------------------------------------------------------


@pytest.mark.one_in(2, 1)
@pytest.mark.parametrize("name", ["fork_bomb", "raises_at_import"])
def test_the_command_itself_gives_that_record(name: str) -> None:
    line = [sys.executable, "-m", "grader", "grade", str(BROKEN / name), "--json", "-"]
    done = subprocess.run(line, cwd=ROOT, capture_output=True, timeout=170, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    agree(CASES[name], Record.model_validate_json(done.stdout))


def test_the_terminal_shows_no_control_character_of_a_submission(session: Session) -> None:
    shown = render(session.grade(BROKEN / "evil_message"), width=80, colour=False, unicode=True)
    assert "\\x1b[2J" in shown
    assert HIDDEN.search(shown) is None


# --- time, memory, prints -------------------------------------------------------------------------


def test_a_grade_ends_when_its_time_is_over_and_says_what_was_not_reached() -> None:
    began = time.monotonic()
    record = grade(BROKEN / "every_step_hangs", SLUG, SEED, seconds=9.0)
    assert time.monotonic() - began < 40
    assert record.score == 0
    assert "was not reached before the time for the whole grade was over" in " ".join(texts(record))


def test_steps_that_take_their_time_starve_no_other(tmp_path: Path, hasty: Session) -> None:
    for name in ("project", "attend", "concat", "output", "module", "cross"):
        text = (BROKEN / "right" / f"{name}.py").read_text("utf-8")
        slow = "import time\nfrom torch import Tensor as _T\n_was = _T.transpose\n"
        slow += "def _slow(*a, **k):\n    time.sleep(1)\n    return _was(*a, **k)\n_T.transpose = _slow\n"
        (tmp_path / f"{name}.py").write_text(f"{slow}\n{text}", "utf-8")
    shutil.copy(BROKEN / "right" / "cost.py", tmp_path)
    kept, hasty.seconds = hasty.seconds, 12.0
    try:
        began = time.monotonic()
        record = hasty.grade(tmp_path)
    finally:
        hasty.seconds = kept
    assert time.monotonic() - began < 40
    assert step(record, "cost").status == "passed"


@pytest.mark.parametrize("suffix", [".py", ".ipynb"])
def test_a_lone_file_that_stops_at_import_is_run_once(hasty: Session, tmp_path: Path, suffix: str) -> None:
    names = ("project", "concat", "cost")
    text = "".join((BROKEN / "right" / f"{name}.py").read_text("utf-8") for name in names)
    path = tmp_path / f"work{suffix}"
    if suffix == ".ipynb":
        cell = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
        sources = (text, "import os\nos._exit(3)")
        cells = [{**cell, "id": f"cell{number}", "source": source} for number, source in enumerate(sources)]
        notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}
        path.write_text(json.dumps(notebook), "utf-8")
    else:
        path.write_text(text + "\nimport time\ntime.sleep(100)\n", "utf-8")
    began = time.monotonic()
    record = hasty.grade(path)
    assert time.monotonic() - began < 10
    for name in names:
        assert step(record, name).status == "failed"
        assert f"while work{suffix} was imported, your code" in step(record, name).note


@pytest.mark.parametrize("name", ["prints", "prints_at_import"])
def test_prints_are_cut(hasty: Session, name: str) -> None:
    assert 0 < len(step(hasty.grade(BROKEN / name), "attend").prints) <= 64 * 2**10


def test_a_guest_that_kills_the_worker_costs_its_own_step_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without another user and without walls, children may signal the worker: as if it were so here."""
    monkeypatch.setattr(jail, "guest_uid", lambda: None)
    monkeypatch.setattr(jail, "_walls", lambda *_: {})
    with Session(SLUG, SEED) as session:
        session.grade(BROKEN / "file_misspelled")
        unnamed(session)
        record = session.grade(BROKEN / "kills_its_parent")
    agree(CASES["kills_its_parent"], record)
    assert "ended the process that runs it" in " ".join(texts(record))


# --- forgeries ------------------------------------------------------------------------------------

FORGER = """
import json, os, struct
from concat_right import concat as right
_calls = []


def send(**head):
    data = json.dumps(head).encode()
    for number in range(3, 64):
        try:
            os.write(number, struct.pack(">IQ", len(data), 0) + data)
        except OSError:
            pass


def concat(heads):
    _calls.append(1)
    if len(_calls) == AFTER:
        FORGE
        os._exit(0)
    return right(heads)
"""
FORGERIES = {
    "an early end": 'send(kind="done", prints="")',
    "points": 'send(kind="verdict", step="concat", status="passed", points=10)',
    "empty answers": 'send(kind="answer", probe="x", outcome="returned", values={})',
    "a foreign group": 'send(kind="from", group="cost"); send(kind="end", group="cost", how="done", what="")',
    "idle": 'send(kind="idle")',
    "odd fields": (
        'send(kind="answer", probe=["x"], outcome={});'
        ' send(kind="loaded", found=7, seen={}, error={"types": 3});'
        ' send(kind="begin", what={"a": 1}); send(kind="done", prints="\\x1b" * 99)'
    ),
}


@pytest.mark.parametrize("what", FORGERIES)
@pytest.mark.parametrize("after", [1, 4])
def test_a_forged_frame_earns_nothing(hasty: Session, tmp_path: Path, what: str, after: int) -> None:
    for name in ("concat", "cost"):
        shutil.copy(BROKEN / "right" / f"{name}.py", tmp_path)
    (tmp_path / "concat.py").rename(tmp_path / "concat_right.py")
    text = FORGER.replace("AFTER", str(after)).replace("FORGE", FORGERIES[what])
    (tmp_path / "concat.py").write_text(text, "utf-8")
    record = hasty.grade(tmp_path)
    assert step(record, "cost").status == "passed"
    assert step(record, "concat").status in ("failed", "partial")
    assert step(record, "concat").score < 10
    assert "broken" not in {found.status for found in record.steps}


def test_a_huge_count_of_operations_is_only_a_number(hasty: Session, tmp_path: Path) -> None:
    """Frames for every probe of the step, with numbers that fit no float."""
    ids = sorted(probe.id for probe in hasty._probes if probe.step == "concat")
    send = "".join(
        f'send(kind="answer", probe={name!r}, outcome="returned", operations=10**4000,'
        ' values={"out": 10**4000, "heads": {"$": "tensor", "shape": [10**300] * 40, "dtype": "float64"}});'
        for name in ids
    )
    shutil.copy(BROKEN / "right" / "concat.py", tmp_path / "concat_right.py")
    text = FORGER.replace("AFTER", "1").replace("FORGE", f"import sys; sys.set_int_max_str_digits(0); {send}")
    (tmp_path / "concat.py").write_text(text, "utf-8")
    record = hasty.grade(tmp_path)
    assert step(record, "concat").status == "failed"
