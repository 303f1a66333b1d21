"""The allow-list: which files of the checkout a bundle may hold, for whom, and the search that proves it."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from grader.core import paths
from grader.core.errors import InputError
from grader.judging.sealed.file import MAGIC, laid_open
from grader.lesson.courses import LESSON_FILE
from grader.lesson.lesson import Lesson
from grader.submission.imports import reached
from grader.submission.source_index import read_code

from .archive import unpacked
from .model import Audience, Item
from .practice import practice_lines

BRIEF = "README.md"
CHECKS = "checks.py"
ENGINE = (".py", ".ini", ".j2", ".css", ".js", ".md")  # what the engine's own folders are made of
HIDDEN_FOLDERS = ("reference", "quizzes")
TELLING = 24  # characters from which on a line is somebody's, not everybody's
DEEP = 4  # archives within archives
ARCHIVE = b"PK\x03\x04"
PAYLOADS = (  # an archive as text: how it looks, how it is read
    (
        re.compile(rb"[A-Za-z0-9+/\n]{400,}={0,2}"),
        lambda text: base64.b64decode(text + b"=" * (-len(text) % 4)),
    ),
    (re.compile(rb"[0-9A-Za-z!#$%&()*+;<=>?@^_`{|}~\n-]{400,}"), base64.b85decode),
)


def exercise(root: Path, lesson: Lesson) -> list[Item]:
    """What anybody may have of a lesson: its fields, one skeleton a step, the checks and the brief."""
    names = [LESSON_FILE, CHECKS, BRIEF, *dict.fromkeys(step.file for step in lesson.steps)]
    return [_item(root, lesson.folder / name) for name in names]


def hidden(root: Path, lesson: Lesson) -> list[Item]:
    """The reference, for bundles that no learner sees."""
    if lesson.reference is None:
        raise InputError(
            f"{root}: the reference of {lesson.slug} is not here; make staff bundles in the checkout"
        )
    found = (path for path in sorted(lesson.reference.rglob("*")) if path.is_file())
    return [_item(root, path) for path in found if path.suffix in (".py", ".yaml")]


def solution_texts(lesson: Lesson) -> dict[str, str]:
    """The solution's files by module name, those of steps that were left out among them. Raises InputError."""
    if lesson.reference is None:
        raise InputError(f"{lesson.slug}: the reference is not here; make this bundle in the checkout")
    return {
        path.stem: path.read_text("utf-8") for path in sorted((lesson.reference / "solution").glob("*.py"))
    }


def taken_along(lesson: Lesson) -> dict[str, tuple[str, ...]]:
    """By step, the modules that its solution needs and that are no step's file, each after those that it needs itself."""
    codes = {name: [read_code(text)] for name, text in solution_texts(lesson).items()}
    reach = reached(codes, codes)
    stems = {step.id: step.file.removesuffix(".py") for step in lesson.steps}
    return {
        name: tuple(
            sorted((reach[stem] & set(codes)) - set(stems.values()), key=lambda one: (len(reach[one]), one))
        )
        for name, stem in stems.items()
    }


def bank(root: Path, lesson: Lesson) -> Item | None:
    """The quiz with its key, for bundles that no learner sees; None where the lesson has none."""
    path = root / "quizzes" / f"{lesson.slug}.yaml"
    return _item(root, path) if path.is_file() else None


def _item(root: Path, path: Path) -> Item:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}); the bundle needs it") from None
    return Item(path.relative_to(root).as_posix(), data)


def secrets(root: Path, slug: str, practised: Sequence[str] = ()) -> frozenset[str]:
    """Every line of the hidden side that stands nowhere on the public one, as it is searched for.

    `practised` are ids of questions that an instructor gives out with their key.
    """
    public = {line for item in _public(root, slug) for line in _lines(item)}
    if practised:
        public |= {
            " ".join(line.split()) for line in practice_lines(root / "quizzes" / f"{slug}.yaml", practised)
        }
    found = {
        line
        for folder in HIDDEN_FOLDERS
        for path in sorted((root / folder).rglob("*"))
        if path.is_file() and path.suffix in (".py", ".yaml")
        for line in _lines(path.read_text(encoding="utf-8"))
    }
    return frozenset(line for line in found - public if len(line) >= TELLING)


def leaks(items: Iterable[Item], kept: frozenset[str]) -> list[str]:
    """`place: line` for each hidden line that a bundle holds, in its files, archives in them and payloads."""
    found = []
    for place, text in _texts(items, DEEP):
        lines = set(_lines(text))
        found += [f"{place}: {line}" for line in sorted(lines & kept)]
    return found


def forbidden_files(items: Iterable[Item], audience: Audience) -> list[str]:
    """Paths that this audience's bundle must not hold, whatever is in them."""
    if audience == "staff":
        return []
    folders = tuple(f"{folder}/" for folder in HIDDEN_FOLDERS)
    return [item.path for item in items if item.path.startswith(folders) or "/reference/" in item.path]


def _public(root: Path, slug: str) -> Iterator[str]:
    for folder in (root / "exercises" / slug, paths.ENGINE, paths.HOME / "templates"):
        for path in sorted(folder.rglob("*")):
            if path.is_file() and path.suffix in (*ENGINE, ".yaml"):
                yield path.read_text(encoding="utf-8")


def _lines(text: str) -> Iterator[str]:
    for line in text.splitlines():
        yield " ".join(line.split())


def _texts(items: Iterable[Item], depth: int) -> Iterator[tuple[str, str]]:
    for item in items:
        yield item.path, _readable(item)
        if not depth:
            continue
        inner = [*_unpacked(item), *_payloads(item), *_sealed(item)]
        for place, text in _texts(inner, depth - 1):
            yield f"{item.path}/{place}", text


def _readable(item: Item) -> str:
    text = item.data.decode("utf-8", errors="replace")
    if item.path.endswith(".ipynb"):
        try:
            cells = json.loads(text)["cells"]
            return "\n".join("".join(cell["source"]) for cell in cells)
        except (ValueError, KeyError, TypeError):
            return text
    return text


def _unpacked(item: Item) -> list[Item]:
    return unpacked(item.data) if item.data.startswith(ARCHIVE) else []


def _sealed(item: Item) -> list[Item]:
    """What sealed answers hold, which no other search sees through their packing."""
    parts = laid_open(item.data) if item.data.startswith(MAGIC) else []
    return [Item(f"part-{number}", part) for number, part in enumerate(parts)]


def _payloads(item: Item) -> list[Item]:
    """Archives that lie in a text as base64 or base85."""
    found: list[Item] = []
    if item.data.startswith(ARCHIVE):
        return found
    plain = item.data.replace(b"\\n", b"\n")
    for pattern, read in PAYLOADS:
        for match in pattern.finditer(plain):
            try:
                data = read(match.group().replace(b"\n", b""))
            except ValueError:
                continue
            if data.startswith(ARCHIVE):
                found.append(Item(f"payload-{len(found)}.zip", data))
    return found
