"""The bundles `moodle` and `canvas`: the knowledge check, ready to import."""

from __future__ import annotations

from grader.errors import InputError
from grader.quiz.bank import read_bank
from grader.quiz.export.formats import FORMATS
from grader.quiz.export.plan import Losses, plan

from .model import Item, Kind, Source


def moodle(source: Source) -> list[Item]:
    """The whole bank as Moodle XML."""
    return [Item("quiz.xml", _exported(source, "moodle-xml"))]


def canvas(source: Source) -> list[Item]:
    """The whole bank as a QTI package for Canvas."""
    return [Item("quiz.zip", _exported(source, "canvas-qti"))]


def _exported(source: Source, name: str) -> bytes:
    path = source.root / "quizzes" / f"{source.lesson.slug}.yaml"
    if not path.is_file():
        raise InputError(f"{path}: {source.lesson.slug} has no quiz, so there is nothing to hand out")
    chosen = FORMATS[name]
    bank = read_bank(path)
    ids = [question.id for question in bank.questions]
    return chosen.write(plan(bank, ids, chosen.variants, source.options.seed or 0), Losses())


MOODLE = Kind("moodle", "staff", "question bank for Moodle (it holds the key)", ".xml", moodle, single=True)
CANVAS = Kind("canvas", "staff", "quiz package for Canvas (it holds the key)", ".zip", canvas, single=True)
