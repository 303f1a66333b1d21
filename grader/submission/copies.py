"""Names that browsers, systems and platforms make of a file's name: `project (1).py`, `Copy of project.py`."""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = ["bare", "copies_of"]

_ADDED = re.compile(r"(\.(?:py|ipynb))\.(?:txt|json|download)$", re.IGNORECASE)
_WORD = r"(?:copy|copie|kopie|kopia|kopi|copia|cópia)"
_BEFORE = re.compile(rf"^{_WORD}\s+(?:of|de|von|van|av|di)\s+", re.IGNORECASE)
# Behind the name: "(1)", " 2", "-1", " - Copy", "-Copy1", " copy 2", " - Copy (2)".
_BEHIND = re.compile(
    rf"(?:\s*\((\d{{1,3}})\)|[ -](\d{{1,2}})|[\s–-]+{_WORD}\s*(?:\((\d{{1,3}})\)|(\d{{1,2}}))?)$",
    re.IGNORECASE,
)


def bare(path: str) -> str:
    """The path without the ending that an editor or a browser adds: `concat.py` of `concat.py.txt`."""
    return _ADDED.sub(r"\1", path)


def copies_of(file: str, paths: Iterable[str]) -> list[str]:
    """Those of the paths that look like copies of a .py file, the one with the highest number last."""
    found = [(number, path) for path in paths if (number := _number(path, file)) is not None and path != file]
    return [path for _, path in sorted(found)]


def _number(path: str, file: str) -> int | None:
    """A copy's number; 0 where the name is whole and 1 where it says no number, None where it is no copy."""
    stem, wanted = bare(path).lower(), file.lower().removesuffix(".py")
    if not stem.endswith(".py"):
        return None
    while stem.endswith(".py"):
        stem = stem.removesuffix(".py")
    stem, before = _BEFORE.subn("", stem)
    highest = before
    while stem != wanted:
        found = _BEHIND.search(stem)
        if found is None:
            return None
        highest = max(highest, *(int(number) for number in found.groups() if number), 1)
        stem = stem[: found.start()]
    return highest
