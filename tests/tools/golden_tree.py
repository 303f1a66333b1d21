"""Golden submissions as they are graded: a case that says `base: NAME` in its index gets that base's files as well.

tests/data/golden holds of such a case only what differs; `without` lists the base's files that it has not. The whole tree
is laid out once, under a name that changes with any file in it, so that all processes of a test run find the same one.
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import yaml

__all__ = ["GOLDEN"]

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "tests" / "data" / "golden"
BASES = SOURCE / "bases"
LAID_OUT = ROOT / ".pytest_cache"


def _state() -> str:
    """A digest of what lies in the source, by names, sizes and times."""
    told = hashlib.sha256()
    for path in sorted(SOURCE.rglob("*")):
        found = path.lstat()
        told.update(
            f"{path.relative_to(SOURCE)} {found.st_size} {found.st_mtime_ns}\n".encode(errors="replace")
        )
    return told.hexdigest()[:16]


def _borrowed() -> Iterator[tuple[Path, Path]]:
    """The files that cases take from a base: where each lies, and its place below the tree."""
    for index in SOURCE.glob("*/index.yaml"):
        found = yaml.load(index.read_text("utf-8"), getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        cases = (
            found
            if isinstance(found, list)
            else [case for part in found.values() if isinstance(part, list) for case in part]
        )
        for case in cases:
            for path in sorted((BASES / case["base"]).iterdir()) if "base" in case else ():
                if path.name not in case.get("without", ()):
                    yield path, Path(index.parent.name) / case["path"] / path.name


def _lay_out() -> Path:
    """The folder of the whole tree, made if it is not there yet: under a name of its own first, then renamed."""
    place = LAID_OUT / f"golden-{_state()}"
    if place.is_dir():
        return place
    LAID_OUT.mkdir(exist_ok=True)
    made = Path(tempfile.mkdtemp(prefix="golden-", suffix=".part", dir=LAID_OUT))
    shutil.copytree(
        SOURCE, made, symlinks=True, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__")
    )
    for path, copied in _borrowed():
        if not (made / copied).exists():
            shutil.copy2(path, made / copied)
    made.chmod(0o755)
    try:
        made.rename(place)
    except OSError:  # another process was first
        shutil.rmtree(made)
    for old in LAID_OUT.glob("golden-*"):
        if old != place and old.stat().st_mtime < place.stat().st_mtime - 3600:
            shutil.rmtree(old, ignore_errors=True)
    return place


GOLDEN = _lay_out()
