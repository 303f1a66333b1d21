"""The course: the folder that holds exercises/. It is said, never searched for, and never the learner's.

Its checks.py runs in the process that judges. So a folder that merely lies where somebody stands is not taken for it.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from grader.core.errors import InputError, MachineError
from grader.core.paths import HOME

VARIABLE, OPTION = "GRADER_COURSE", "--course"
LESSON_FILE = "lesson.yaml"
MANIFEST = "MANIFEST.json"  # at the root of a bundle: what it is, and the digest of each file in it
NOT_JUDGING = ("README.md",)  # of an exercise, beside the files that are there to be written into


def find_course(said: Path | None = None) -> Path:
    """The folder that is said, else the one that GRADER_COURSE names, else the checkout that the engine lies in.

    Raises InputError where there is none, or no lesson in it.
    """
    named = os.environ.get(VARIABLE, "")
    place, how = (said, OPTION) if said is not None else (Path(named), VARIABLE) if named else (HOME, "")
    if _lessons_in(place):
        return place.resolve()
    if not how:
        raise InputError(
            f"say where the course is: {OPTION} DIR, or {VARIABLE}; DIR is the folder that holds exercises/"
        )
    what = f"no exercises/<lesson>/{LESSON_FILE} in it" if place.is_dir() else "no such folder"
    raise InputError(f"{how} {place}: {what}; name the folder that holds exercises/")


def said_in(words: Sequence[str]) -> Path | None:
    """What a command's words say of the course, before anything has read them as options."""
    for word, following in zip(words, [*words[1:], ""], strict=True):
        name, equals, value = word.partition("=")
        if name == OPTION:
            return Path(value if equals else following)
    return None


def lesson_slugs(course: Path) -> tuple[str, ...]:
    """The slugs of the lessons of a course, sorted."""
    return tuple(sorted(path.parent.name for path in _lessons_in(course)))


def stand_apart(course: Path, submission: Path, *, official: bool) -> None:
    """A course never is, holds, or lies in what it judges. Raises InputError.

    Two may hold it: the checkout that the engine itself lies in, and a learner's own bundle, which has no reference
    and makes practice, not an `official` grade.
    """
    theirs, ours = submission.resolve(), course.resolve()
    if ours == theirs:
        problem = "is the submission"
    elif ours.is_relative_to(theirs):
        problem = "lies in the submission"
    elif theirs.is_relative_to(ours) and ours != HOME and (official or (ours / "reference").is_dir()):
        problem = "holds the submission"
    else:
        return
    raise InputError(f"{submission}: the course {course} {problem}; move them apart, or say another {OPTION}")


def as_bundled(course: Path, slug: str, steps: Sequence[str], free: Collection[str]) -> None:
    """Where a course is a bundle, what judges in it is what its manifest says; `free` files are a learner's to change.

    Raises MachineError: a grade by anything else would be a wrong grade.
    """
    path = course / MANIFEST
    try:
        facts = json.loads(path.read_bytes())
        lesson, listed, files = facts["lesson"], list(facts["steps"]), dict(facts["files"])
    except FileNotFoundError:
        return
    except (OSError, ValueError, LookupError, TypeError):
        raise MachineError(f"{path}: cannot be read; unpack the bundle anew") from None
    if (lesson, listed) != (slug, list(steps)):
        raise MachineError(
            f"{path}: the bundle is for {lesson} with the steps {', '.join(map(str, listed))}, "
            f"the course for {slug} with {', '.join(steps)}; unpack the bundle anew"
        )
    exercise = f"exercises/{slug}/"
    left = {f"{exercise}{name}" for name in (*free, *NOT_JUDGING)}
    for name, entry in files.items():
        if (
            name.startswith((exercise, f"reference/{slug}/"))
            and name not in left
            and not _same(course / name, entry)
        ):
            raise MachineError(f"{course / name}: not as {MANIFEST} says; unpack the bundle anew")


def _same(path: Path, entry: Any) -> bool:
    """Whether a file is what the manifest says, up to the line ends that git may give it."""
    try:
        data, wanted = path.read_bytes(), entry["sha256"]
    except (OSError, LookupError, TypeError):
        return False
    return wanted in (_digest(data), _digest(data.replace(b"\r\n", b"\n")))


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _lessons_in(course: Path) -> list[Path]:
    return list(course.glob(f"exercises/*/{LESSON_FILE}"))
