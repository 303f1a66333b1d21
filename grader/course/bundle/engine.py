"""The engine as a wheel that pip installs: this package with its templates, and nothing of any lesson.

A learner's wheel leaves out what only the staff of a course has work for; whatever is asked of it that it has not
says so in one line (`grader/core/parts.py`).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Collection
from pathlib import Path

from grader import __version__
from grader.core.errors import InputError, MachineError

from .contents import ENGINE
from .model import Audience, Item

BUILD = "import sys; from hatchling.build import build_wheel; print(build_wheel(sys.argv[1]))"
EPOCH = "315532800"  # 1980-01-01, so that the same engine is the same bytes
BESIDE = ("pyproject.toml", "README.md", "LICENSE")
WHEEL = f"engine/attention_grader-{__version__}-py3-none-any.whl"  # in a bundle, whosever it is
STAFFS = (  # in the checkout
    "grader/course/audit", "grader/course/bundle", "grader/course/platforms/gradescope.py",
    "grader/quiz/export", "grader/quiz/importing", "grader/quiz/stats",
    "templates/audit.css", "templates/audit.html.j2", "templates/bundle",
    "templates/quiz/stats.css", "templates/quiz/stats.html.j2",
)  # fmt: skip


def engine_wheel(root: Path, audience: Audience) -> Item:
    """The wheel for whoever gets the bundle. Raises InputError outside a checkout, MachineError when it fails."""
    missing = [name for name in BESIDE if not (root / name).is_file()]
    if missing or not (root / "grader").is_dir():
        raise InputError(
            f"{root}: {(missing or ['grader/'])[0]} is not here; bundles are made in the checkout"
        )
    ignore = _foreign({str(root / path) for path in STAFFS} if audience == "learner" else frozenset())
    with tempfile.TemporaryDirectory(prefix="grader-") as place:
        tree, out = Path(place) / "tree", Path(place) / "out"
        out.mkdir()
        shutil.copytree(root / "grader", tree / "grader", ignore=ignore)
        shutil.copytree(root / "templates", tree / "grader" / "templates", ignore=ignore)
        for name in BESIDE:
            shutil.copy(root / name, tree / name)
        done = subprocess.run(
            [sys.executable, "-I", "-c", BUILD, str(out)],
            cwd=tree,
            env={**os.environ, "SOURCE_DATE_EPOCH": EPOCH},
            capture_output=True,
            text=True,
            check=False,
        )
        wheels = sorted(out.glob("*.whl"))
        if done.returncode or not wheels:
            said = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
            raise MachineError(f"the engine's wheel could not be built: {said}; run `make setup`")
        return Item(WHEEL, wheels[0].read_bytes())


def _foreign(left_out: Collection[str]) -> Callable[[str, list[str]], set[str]]:
    """Tells copytree what stays behind: these paths, caches, and whatever has an ending that is not the engine's."""

    def names_of(folder: str, names: list[str]) -> set[str]:
        return {
            name
            for name in names
            if name == "__pycache__"
            or ("." in name and not name.endswith(ENGINE))
            or str(Path(folder) / name) in left_out
        }

    return names_of
