"""Looks into a bundle as whoever gets it would: what is in it, what is not, and whether it grades."""

from __future__ import annotations

import json
import shutil
import tempfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.core.errors import GraderError, InputError
from grader.core.records import Record
from grader.grading.separate import grade_apart
from grader.lesson.courses import MANIFEST, find_course

from .archive import unpacked
from .cells import handed_out
from .contents import forbidden_files, leaks, secrets
from .manifest import differences
from .model import Item

SECONDS = 180.0
SOLVED = "BEGIN SOLUTION"  # in a staff notebook, before what its platform takes out
LARGEST = 2_000_000  # bytes of a learner's bundle


@dataclass(frozen=True, slots=True)
class Examined:
    """What was found, line by line, and how much of it is wrong."""

    lines: tuple[str, ...]
    wrong: int


def examine(path: Path, root: Path | None = None) -> Examined:
    """Everything worth knowing before a bundle is published; `root` is the course it was made from. Raises InputError."""
    try:
        data = path.read_bytes()
        items = [Item(path.name, data)] if path.suffix == ".ipynb" or _is_moodle(data) else unpacked(data)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
    except ValueError as error:
        raise InputError(f"{path}: not a bundle ({error})") from None
    quiz = _quiz(items)
    if quiz:
        head = f"{path.name}: a question bank for {quiz}, for staff only: it holds the key"
        return Examined((head, "It holds:", *_listed(items)), 0)
    facts = _facts(items)
    audience = str(facts.get("audience", "learner"))
    good: list[str] = []
    bad: list[str] = []
    if path.suffix != ".ipynb":
        changed = differences(items)
        (bad if changed else good).append(changed[0] if changed else "every file is as the manifest says")
    if audience == "staff":
        good.append("for staff only: it holds the solution, and belongs where no learner can read")
    else:
        practised = _practised(facts)
        found = _given_away(items, str(facts.get("lesson", "")), practised, root)
        (bad if found else good).append(
            f"it gives away {found[0]} (and {len(found) - 1} more)" if found else "it holds no hidden line"
        )
        if practised:
            count = f"{len(practised)} question{'' if len(practised) == 1 else 's'}"
            good.append(f"it holds the key of {count} for practice: {', '.join(practised)}")
        size = f"{len(data) / 1e6:.2f} MB"
        (bad if len(data) > LARGEST else good).append(
            f"{size}, {'more than' if len(data) > LARGEST else 'below'} 2 MB"
        )
    if any(item.path.endswith(".whl") for item in items):
        for said, fine in _grades(items, root):
            (good if fine else bad).append(said)
    head = f"{path.name}: {facts.get('kind', 'a notebook')} of {facts.get('lesson', 'a lesson')}, for {audience}s"
    lines = [
        head,
        *(f"✓ {line}" for line in good),
        *(f"✗ {line}" for line in bad),
        "It holds:",
        *_listed(items),
    ]
    return Examined(tuple(lines), len(bad))


def _listed(items: Sequence[Item]) -> list[str]:
    return [f"  {item.path} ({len(item.data)} bytes)" for item in sorted(items, key=lambda item: item.path)]


def _is_moodle(data: bytes) -> bool:
    return data.lstrip().startswith(b"<?xml") and b"<quiz>" in data[:500]


def _quiz(items: Sequence[Item]) -> str:
    """The platform whose question bank this is, "" for none."""
    names = {item.path for item in items}
    if len(items) == 1 and _is_moodle(items[0].data):
        return "Moodle"
    return "Canvas" if "imsmanifest.xml" in names and MANIFEST not in names else ""


def _facts(items: Sequence[Item]) -> dict[str, object]:
    held = next((item for item in items if item.path == MANIFEST), None)
    try:
        facts = {} if held is None else json.loads(held.data)
    except ValueError:
        facts = {}
    return facts if isinstance(facts, dict) else {}


def _practised(facts: Mapping[str, object]) -> list[str]:
    """The questions that the instructor allowed to be practised, as the manifest says."""
    found = facts.get("practice_quiz", [])
    return [str(name) for name in found] if isinstance(found, list) else []


def _given_away(items: Sequence[Item], slug: str, practised: Sequence[str], said: Path | None) -> list[str]:
    """Hidden files, and hidden lines where the checkout is here to know them."""
    found = forbidden_files(items, "learner")
    try:
        root = find_course(said)
    except GraderError:
        return found
    return [*found, *leaks(items, secrets(root, slug, practised))]


def _skeleton(items: Sequence[Item], lesson: Path, place: Path) -> Path:
    """What a learner begins with, apart from the course, as every submission is: step files, or the one notebook."""
    book = next((item for item in items if item.path.endswith(".ipynb")), None)
    if book is None:
        return Path(shutil.copytree(lesson, place / ".work"))
    work = place / ".work.ipynb"
    work.write_bytes(handed_out(book.data))
    return work


def _grades(items: Sequence[Item], said: Path | None) -> Iterator[tuple[str, bool]]:
    """What the bundle's engine, unpacked alone, gives to its skeleton and to the solution, and whether that is right."""
    with tempfile.TemporaryDirectory(prefix="grader-") as place:
        root = Path(place) / "bundle"
        for item in items:
            target = root / item.path
            if ".." in Path(item.path).parts or not target.is_relative_to(root):
                yield f"{item.path} climbs out of the bundle", False
                return
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(item.data)
        wheel = next(root.rglob("*.whl"))
        course = next((p.parent.parent.parent for p in root.rglob("exercises/*/lesson.yaml")), root)
        lesson = next(course.glob("exercises/*"), course)
        engine = Path(place) / "engine"
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(engine)
        done = grade_apart(_skeleton(items, lesson, Path(place)), course, SECONDS, engine=engine)
        if done.record is None:
            yield f"its skeleton cannot be graded: {done.said}", False
            return
        fine = done.record.score == 0 and all(step.status == "not_attempted" for step in done.record.steps)
        yield _earned("its skeleton", done.record), fine
        solution = _solution(root, lesson.name, Path(place) / "solution", said)
        if solution is None:
            yield "the solution is not here, so it was not tried", True
            return
        done = grade_apart(solution, course, SECONDS, engine=engine)
        if done.record is None:
            yield f"the solution cannot be graded: {done.said}", False
        else:
            yield _earned("the solution", done.record), done.record.score == done.record.max_score


def _earned(what: str, record: Record) -> str:
    return f"{what} earns {record.score:g} of {record.max_score:g} points, by its own engine"


def _solution(bundle: Path, slug: str, place: Path, said: Path | None) -> Path | None:
    """A copy of the solution: as the bundle's notebook has it, else as its reference, else as the course's has it."""
    notebooks = [path for path in bundle.rglob("*.ipynb") if SOLVED in path.read_text("utf-8")]
    if notebooks:
        return Path(shutil.copy(notebooks[0], place.with_suffix(".ipynb")))
    try:
        courses = [bundle, find_course(said)]
    except GraderError:
        courses = [bundle]
    for course in courses:
        if (course / "reference" / slug / "solution").is_dir():
            return Path(shutil.copytree(course / "reference" / slug / "solution", place))
    return None
