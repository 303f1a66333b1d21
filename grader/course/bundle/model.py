"""What a bundle is made of: items with a path, options written once, a kind with its audience."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from grader.lesson.lesson import Lesson

Audience = Literal["learner", "staff"]


@dataclass(frozen=True, slots=True)
class Item:
    """One file of a bundle: where it lies in it (with /), its bytes, whether it may be run."""

    path: str
    data: bytes
    executable: bool = False


@dataclass(frozen=True, slots=True)
class Options:
    """What an instructor chooses for an assignment; empty means the lesson's own.

    `points` is what the whole is worth where a platform shows points; `due` is told to learners and marks late
    work, it bars nobody. `practice_quiz` names the questions whose key learners may have.
    """

    course: str = ""
    due: str = ""
    points: float | None = None
    seed: int | None = None
    steps: tuple[str, ...] = ()
    practice_quiz: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Source:
    """What every bundle is made from: the checkout, the lesson cut down to the steps asked for, the options."""

    root: Path
    lesson: Lesson
    options: Options
    parts: Parts

    @property
    def title(self) -> str:
        """The assignment's title, with the course's name before it."""
        course = self.options.course
        return f"{course}: {self.lesson.title}" if course else self.lesson.title

    @property
    def points(self) -> float:
        """What the whole is worth where a platform shows points."""
        return self.lesson.max_score if self.options.points is None else self.options.points

    @property
    def scale(self) -> float:
        """Points shown for each point of the lesson."""
        return self.points / self.lesson.max_score


@dataclass(frozen=True, slots=True)
class Parts:
    """What is costly to make and the same in many bundles: made when first asked for, then kept."""

    wheel: Callable[[Audience], Item]
    sealed: Callable[[], bytes]
    secrets: Callable[[], frozenset[str]]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of bundle: for whom, what it is in a few words, the file's ending, how it is made.

    `make` gives the items of an archive; a kind that is one file gives one item. Where nothing can be told inside that
    file, `beside` gives a page to lie next to it, by the name of the bundle's file.
    """

    name: str
    audience: Audience
    say: str
    suffix: str
    make: Callable[[Source], list[Item]]
    single: bool = False
    beside: Callable[[Source, str], Item] | None = None
