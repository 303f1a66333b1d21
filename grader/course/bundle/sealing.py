"""Sealed answers for bundles, kept between calls: they are the same as long as lesson, reference and engine are."""

from __future__ import annotations

import hashlib

from grader.core.errors import GraderError
from grader.core.files import write_bytes
from grader.core.paths import ENGINE
from grader.core.user_dirs import cache_home
from grader.grading.seal import sealed_bytes
from grader.lesson.lesson import Lesson

KEPT = "attention-grader/sealed"


def sealed_answers(lesson: Lesson, seed: int | None) -> bytes:
    """A sealed file's bytes, from the user's cache where they have been made before."""
    cache = cache_home()
    if cache is None:
        return sealed_bytes(lesson, seed)
    place = cache / KEPT / f"{_digest(lesson, seed)}.bin"
    try:
        return place.read_bytes()
    except OSError:
        pass
    data = sealed_bytes(lesson, seed)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(place, data)
    except (OSError, GraderError):
        pass  # a cache that cannot be kept costs time, nothing else
    return data


def _digest(lesson: Lesson, seed: int | None) -> str:
    """Of everything that the answers depend on: lesson, reference, engine, torch's version, seed and steps."""
    from importlib.metadata import version

    made = hashlib.sha256()
    folders = (lesson.folder, lesson.reference, ENGINE)
    for folder in (folder for folder in folders if folder is not None):
        for path in sorted(folder.rglob("*")):
            if path.suffix in (".py", ".yaml") and path.is_file():
                made.update(path.relative_to(folder).as_posix().encode())
                made.update(hashlib.sha256(path.read_bytes()).digest())
    made.update(repr((version("torch"), seed, [step.id for step in lesson.steps])).encode())
    return made.hexdigest()
