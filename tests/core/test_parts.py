"""Where a part of the grader is not installed: one line that says how to get it, and grading needs none of it."""

from __future__ import annotations

import importlib.metadata
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from grader.core.parts import EXTRAS

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
BLOCK = """
import importlib.abc, sys
class Gone(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {gone!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Gone())
sys.argv[1:] = {words!r}
from grader.cli import main
main()
"""


def packages(extra: str) -> set[str]:
    """What an extra asks for itself, by the distributions' names."""
    asked = (Requirement(text).name for text in PROJECT["optional-dependencies"][extra])
    return {canonicalize_name(name) for name in asked if name != PROJECT["name"]}


def without(extras: tuple[str, ...], *words: str) -> subprocess.CompletedProcess[str]:
    """A command where these extras' packages cannot be imported; torch may have its own."""
    torchs = ("jinja2", "markupsafe")
    gone = [name for extra in extras for name in EXTRAS[extra] if name not in torchs]
    return subprocess.run(
        [sys.executable, "-c", BLOCK.format(gone=gone, words=list(words))],
        cwd=ROOT, env={**os.environ, "COLUMNS": "100"}, capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.mark.parametrize("extra", list(EXTRAS))
def test_an_extra_is_known_by_the_modules_that_its_packages_bring(extra: str) -> None:
    by_module = importlib.metadata.packages_distributions()
    brought = {canonicalize_name(name) for module in EXTRAS[extra] for name in by_module[module]}
    assert brought == packages(extra)


def test_a_base_installation_asks_for_nothing_of_the_extras() -> None:
    base = {canonicalize_name(Requirement(text).name) for text in PROJECT["dependencies"]}
    assert not base & {name for extra in EXTRAS for name in packages(extra)}


@pytest.mark.parametrize(
    ("extra", "words"),
    [
        ("quiz", ("quiz", "web", "--bank", "multi_head_attention", "--out", "{place}/q.html")),
        ("staff", ("quiz", "import", "{place}/q.gift", "--out", "{place}/q.yaml")),
    ],
)
def test_a_command_without_its_packages_says_how_to_get_them(
    tmp_path: Path, extra: str, words: tuple[str, ...]
) -> None:
    (tmp_path / "q.gift").write_text("::a:: <b>Is</b> it? {T}\n", "utf-8")
    done = without((extra,), *(word.format(place=tmp_path) for word in words))
    assert done.stderr == f"grader: this needs the {extra} part: pip install 'attention-grader[{extra}]'\n"
    assert (done.returncode, done.stdout) == (2, "")
    assert [path.name for path in tmp_path.iterdir()] == ["q.gift"]


@pytest.mark.slow
def test_a_grade_and_the_doctor_need_no_extra() -> None:
    graded = without(tuple(EXTRAS), "grade", "exercises/multi_head_attention", "--course", ".", "--seed", "3")
    assert (graded.returncode, graded.stderr) == (0, "")
    looked = without(tuple(EXTRAS), "doctor", "--course", ".")
    assert (looked.returncode, looked.stderr) == (0, "")
