"""The student's zip where there are only Python, make and pip: unpacked in an empty folder, graded by `make grade`."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from grader.course.bundle.kinds import KINDS
from grader.course.bundle.making import made, source_of
from grader.course.bundle.model import Options
from tests.peers.school import ROOT, SLUG, SOLUTION, WRONG

STEPS = ("concat", "output", "cost")  # to seal all of them takes a minute
HERE, FRESH = "packages that are here", "packages that pip brings"
pytestmark = pytest.mark.bundles


@pytest.fixture(scope="module", params=[HERE, pytest.param(FRESH, marks=pytest.mark.thorough)])
def student(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The unpacked zip; its .venv is made by its own Makefile, or is there and sees the packages that are here."""
    if shutil.which("make") is None:
        pytest.skip("needs make")
    folder = tmp_path_factory.mktemp("student")
    with zipfile.ZipFile(
        BytesIO(made(KINDS["student"][0], source_of(SLUG, Options(steps=STEPS), ROOT)))
    ) as zipped:
        zipped.extractall(folder)
    if request.param == HERE:
        subprocess.run([sys.executable, "-m", "venv", str(folder / ".venv")], check=True)
        packages = Path(sysconfig.get_path("purelib", vars={"base": str(folder / ".venv")}))
        (packages / "here.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return folder


def make(student: Path, *words: str) -> str:
    """What a command of the zip's Makefile prints; it has to succeed."""
    environment = {
        "PATH": os.environ["PATH"], "HOME": str(student), "LANG": "C.UTF-8", "PYTHON": sys.executable,
        **{key: value for key, value in os.environ.items() if key.startswith("PIP_")},
    }  # fmt: skip
    command = ["make", f"PYTHON={sys.executable}", *words]
    done = subprocess.run(command, cwd=student, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout


def record(student: Path, work: Path) -> dict[str, Any]:
    """The record that `make grade` writes of a folder."""
    make(student, "grade", f"SUBMISSION={work}", f"ARGS=--json {student / 'record.json'}")
    found: dict[str, Any] = json.loads((student / "record.json").read_text("utf-8"))
    return found


def test_the_skeleton_earns_nothing_and_the_solution_everything(student: Path) -> None:
    said = make(student, "grade")
    assert "0 / 21" in said
    assert "Matplotlib is building" not in said
    full = record(student, SOLUTION)
    assert full["score"] == full["max_score"] == 21
    assert (student / ".venv" / "share" / "attention-grader" / "mpl").is_dir()


def test_a_mistake_is_named_and_hinted_at(student: Path, tmp_path: Path) -> None:
    wrong = WRONG["unjoined"]
    text = (SOLUTION / "concat.py").read_text("utf-8")
    assert wrong.right in text
    (tmp_path / "concat.py").write_text(text.replace(wrong.right, wrong.wrong), "utf-8")
    found = record(student, tmp_path)
    assert found["score"] == 0
    assert wrong.told in json.dumps(found, ensure_ascii=False)
    assert "Hint 1 of 3" in make(student, "hint", "STEP=concat", f"SUBMISSION={tmp_path}")
