"""The engine as a wheel that pip installs: this package with its templates, and nothing of any lesson."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from grader.core.errors import InputError, MachineError

from .contents import ENGINE
from .model import Item

BUILD = "import sys; from hatchling.build import build_wheel; print(build_wheel(sys.argv[1]))"
EPOCH = "315532800"  # 1980-01-01, so that the same engine is the same bytes
BESIDE = ("pyproject.toml", "README.md", "LICENSE")
FOLDER = "engine"


def engine_wheel(root: Path) -> Item:
    """The wheel, in the bundle's folder for it. Raises InputError outside a checkout, MachineError when it fails."""
    missing = [name for name in BESIDE if not (root / name).is_file()]
    if missing or not (root / "grader").is_dir():
        raise InputError(
            f"{root}: {(missing or ['grader/'])[0]} is not here; bundles are made in the checkout"
        )
    with tempfile.TemporaryDirectory(prefix="grader-") as place:
        tree, out = Path(place) / "tree", Path(place) / "out"
        out.mkdir()
        shutil.copytree(root / "grader", tree / "grader", ignore=_foreign)
        shutil.copytree(root / "templates", tree / "grader" / "templates", ignore=_foreign)
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
        return Item(f"{FOLDER}/{wheels[0].name}", wheels[0].read_bytes())


def _foreign(_: str, names: list[str]) -> set[str]:
    """What is not the engine's: caches, and whatever has another ending."""
    return {name for name in names if name == "__pycache__" or ("." in name and not name.endswith(ENGINE))}
