"""Inputs that people met: each folder of tests/data/cases is one, and its expect.yaml says what has to come of it.

`submission` is graded, or `commands` are run: words for `grader`, where {case} is the folder and {out} an empty one.
Where there is a `make`, that script of the case writes the submission first. `expect` is the exit code and `score` the
points in all; `says` must stand in what is shown, `never` must not; `writes` names files below {out} and what must
stand in them; `steps` are the record's steps, `status` alone, `[status, score]`, or any fields of theirs, such as the
lines of its `note`, the one `reason` of all its checks, and the mistakes that are `named`.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
CASES = sorted(place.parent for place in (ROOT / "tests" / "data" / "cases").glob("*/expect.yaml"))
KEYS = {"submission", "make", "score", "commands", "expect", "says", "never", "writes", "steps"}


def commands_of(expected: dict[str, Any], case: Path, out: Path) -> list[list[str]]:
    if "submission" in expected:
        path = (out if "make" in expected else case) / expected["submission"]
        return [["grade", str(path), "--json", str(out / "record.json")]]
    return [
        [word.replace("{case}", str(case)).replace("{out}", str(out)) for word in shlex.split(line)]
        for line in expected["commands"]
    ]


def told(step: dict[str, Any], wanted: str | list[Any] | dict[str, Any]) -> str | list[Any] | dict[str, Any]:
    """What a record says of a step, in the form in which it is asked for."""
    if isinstance(wanted, str):
        return str(step["status"])
    if isinstance(wanted, list):
        return [step["status"], step["score"]]
    reasons = {check["message"] for check in step["checks"] if check["max_points"] > 0}
    named = [mistake["id"] for mistake in step["mistakes"]]
    found = {**step, "note": step["note"].split("\n"), "reason": " / ".join(sorted(reasons)), "named": named}
    return {key: found[key] for key in wanted}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_what_was_reported_comes_out_as_it_should(case: Path, tmp_path: Path) -> None:
    expected = yaml.safe_load((case / "expect.yaml").read_text("utf-8"))
    assert set(expected) <= KEYS
    if "make" in expected:
        made = tmp_path / expected["submission"]
        subprocess.run([sys.executable, str(case / expected["make"]), str(made)], check=True)
    shown = ""
    for words in commands_of(expected, case, tmp_path):
        done = subprocess.run(
            [sys.executable, "-m", "grader", *words],
            cwd=ROOT, capture_output=True, text=True, timeout=300, check=False,
        )  # fmt: skip
        shown += f"{done.stdout}\n{done.stderr}"
        assert done.returncode == expected["expect"], shown
    assert "Traceback" not in shown
    for text in expected.get("says", []):
        assert text in shown
    for text in expected.get("never", []):
        assert text not in shown
    for name, texts in expected.get("writes", {}).items():
        written = (tmp_path / name).read_text("utf-8")
        for text in texts:
            assert text in written
    if {"score", "steps"} & set(expected):
        record = json.loads((tmp_path / "record.json").read_text("utf-8"))
        steps = {step["id"]: step for step in record["steps"]}
        assert record["score"] == expected.get("score", record["score"])
        for name, wanted in expected.get("steps", {}).items():
            step = steps[name]
            assert told(step, wanted) == wanted, (name, step["note"], step["checks"])
