"""What a guest may see of this machine: Python and its libraries, but never the grader, which may lie among them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from grader.core.paths import ENGINE

SYSTEM = ("/usr/lib", "/usr/lib64", "/usr/share/zoneinfo", "/usr/share/fonts")


def visible_paths() -> list[Path]:
    """What Python and its libraries need, no more: interpreter, site-packages, system libraries."""
    paths = {Path(name) for name in SYSTEM}
    paths |= {Path(sys.executable).resolve(), Path(sys.base_prefix) / "lib", *map(Path, library_paths())}
    kept: list[Path] = []
    for path in sorted(path for path in paths if path.exists()):
        if not any(path.is_relative_to(other) for other in kept):
            kept.append(path)
    return kept


def library_paths() -> list[str]:
    """Where installed packages are."""
    return [
        path for path in sys.path if path.endswith(("site-packages", "dist-packages")) and Path(path).is_dir()
    ]


def engine_among(paths: list[Path]) -> bool:
    """Whether the grader is installed below one of these."""
    return any(ENGINE.is_relative_to(path.resolve()) for path in paths)


def readable_paths() -> tuple[list[Path], list[Path]]:
    """What may be read whole, and the folders that may only be listed: those above the grader, if any."""
    whole: list[Path] = []
    listed: list[Path] = []
    for path in visible_paths():
        for found, only_listed in _apart(path):
            (listed if only_listed else whole).append(found)
    return whole, listed


def _apart(path: Path) -> Iterator[tuple[Path, bool]]:
    place = path.resolve()
    if not ENGINE.is_relative_to(place):
        yield path, False
    elif place != ENGINE:
        yield path, True
        for inner in path.iterdir():
            yield from _apart(inner)
