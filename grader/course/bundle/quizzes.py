"""The bundles `moodle` and `canvas`: the knowledge check, ready to import.

How it is imported is told in a page beside the file: an importer may stumble over a file it does not know.
"""

from __future__ import annotations

from grader.core.errors import InputError
from grader.quiz.bank.bank import read_bank
from grader.quiz.export.formats import FORMATS
from grader.quiz.export.plan import Losses, plan

from .model import Item, Kind, Source
from .shared import filled


def moodle(source: Source) -> list[Item]:
    """The whole bank as Moodle XML."""
    return [Item("quiz.xml", _exported(source, "moodle-xml")[0])]


def canvas(source: Source) -> list[Item]:
    """The whole bank as a QTI package for Canvas."""
    return [Item("quiz.zip", _exported(source, "canvas-qti")[0])]


def moodle_page(source: Source, file: str) -> Item:
    """How to import it into Moodle, and what Moodle cannot hold of it."""
    return _page(source, file, "Moodle", "moodle-xml")


def canvas_page(source: Source, file: str) -> Item:
    """How to import it into Canvas, and what Canvas cannot hold of it."""
    return _page(source, file, "Canvas", "canvas-qti")


def _page(source: Source, file: str, platform: str, name: str) -> Item:
    lost = _exported(source, name)[1].lines()
    return filled("quiz/README.md.j2", "README.md", source, platform=platform, file=file, lost=lost)


def _exported(source: Source, name: str) -> tuple[bytes, Losses]:
    path = source.root / "quizzes" / f"{source.lesson.slug}.yaml"
    if not path.is_file():
        raise InputError(f"{path}: {source.lesson.slug} has no quiz, so there is nothing to hand out")
    chosen = FORMATS[name]
    bank = read_bank(path)
    ids = [question.id for question in bank.questions]
    losses = Losses()
    return chosen.write(plan(bank, ids, chosen.variants, source.options.seed or 0), losses), losses


MOODLE = Kind(
    "moodle",
    "staff",
    "question bank for Moodle (it holds the key)",
    ".xml",
    moodle,
    single=True,
    beside=moodle_page,
)
CANVAS = Kind(
    "canvas",
    "staff",
    "quiz package for Canvas (it holds the key)",
    ".zip",
    canvas,
    single=True,
    beside=canvas_page,
)
