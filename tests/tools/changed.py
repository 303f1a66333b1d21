"""Prints the tests of what changed since this branch left main, for `make check`: one path a line.

A test that changed stands for itself. A file of the engine has the tests of its own room that are named after it;
where there are none, those that import it, those named after its folder, or all of the room. A lesson, a bank or a
template has the tests of what reads it. The rules of the house are always among them.
"""

from __future__ import annotations

import ast
import functools
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

__all__ = ["changed_files", "main", "to_run"]

ROOT = Path(__file__).resolve().parents[2]
HOUSE = "tests/test_house.py"
HABITS = "tests/test_contributing.py"
SUBMISSIONS = ("tests/data/", "tests/hostile/attacks/")  # learners' files, whatever they are called
# What is no module, by how its path begins: the tests that read it.
READERS = {
    "exercises/": ("tests/lesson/test_lesson.py", "tests/lesson/test_reference.py"),
    "reference/": ("tests/lesson/test_reference.py",),
    "quizzes/": ("tests/quiz/test_bank.py", "tests/quiz/test_keys.py"),
    "templates/bundle/": ("tests/course/test_bundle.py",),
    "templates/quiz/stats": ("tests/quiz/test_stats_views.py",),
    "templates/quiz/page": ("tests/quiz/test_web.py",),
    "templates/audit": ("tests/course/test_audit_findings.py",),
    "tests/data/cases/": ("tests/grading/test_reported_cases.py",),
    "docs/": (HABITS,),
    "CONTRIBUTING.md": (HABITS,),
    "README.md": (HABITS,),
    "Makefile": (HABITS,),
    ".pre-commit": (HABITS,),
}


def to_run(changed: Iterable[str], root: Path) -> list[str]:
    """The test files to run, sorted; `changed` and they are paths below `root`, with slashes."""
    found = {HOUSE}
    for name in changed:
        path = PurePosixPath(name)
        top = path.parts[0] if path.suffix == ".py" else ""
        found |= {test for start, tests in READERS.items() if name.startswith(start) for test in tests}
        if top == "tests" and not name.startswith(SUBMISSIONS):
            found |= {name} if path.match("test_*.py") else _importers(name, root, "tests")
        elif top == "grader":
            found |= _of_module(path, root)
    return sorted(test for test in found if (root / test).is_file())


def _of_module(path: PurePosixPath, root: Path) -> set[str]:
    """The tests of one file of the engine."""
    room, *folders = path.parts[1:-1] or ("command",)
    here = _tests(root, f"tests/{room}")
    for name in (path.stem, None, *reversed(folders)):
        found = (
            _importers(path.as_posix(), root, f"tests/{room}")
            if name is None
            else {test for test in here if _named_after(test, name)}
        )
        if found:
            return found
    return here


def _named_after(test: str, stem: str) -> bool:
    own = PurePosixPath(test).stem.removeprefix("test_")
    return own == stem or own.startswith(f"{stem}_")


def _tests(root: Path, folder: str) -> set[str]:
    return {path.relative_to(root).as_posix() for path in (root / folder).rglob("test_*.py")}


def _importers(name: str, root: Path, folder: str) -> set[str]:
    """The tests in a folder that import this file, at their top or inside a function."""
    wanted = name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    return {test for test in _tests(root, folder) if wanted in _imported(root / test)}


@functools.cache
def _imported(path: Path) -> frozenset[str]:
    """The dotted names that a file imports, and those that it imports from."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return frozenset(names)


def changed_files(root: Path) -> list[str]:
    """What git sees changed, added or not yet added since this branch left main; on main, since the last commit."""
    base = (
        _git(root, "merge-base", "HEAD", "main")
        or _git(root, "merge-base", "HEAD", "origin/main")
        or ["HEAD"]
    )
    changed = _git(root, "diff", "--name-only", "--no-renames", base[0])
    return [*changed, *_git(root, "ls-files", "--others", "--exclude-standard")]


def _git(root: Path, *words: str) -> list[str]:
    """The lines that git answers; none where it has no answer."""
    done = subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, check=False)
    return done.stdout.splitlines() if done.returncode == 0 else []


def main() -> None:
    """Print them."""
    sys.stdout.write("".join(f"{test}\n" for test in to_run(changed_files(ROOT), ROOT)))


if __name__ == "__main__":
    main()
