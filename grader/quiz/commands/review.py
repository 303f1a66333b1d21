"""`grader quiz review`: walks a person through the answers that no rule could mark."""

from __future__ import annotations

import getpass
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

import typer

from grader.core.errors import InputError
from grader.core.files import check_places
from grader.core.options import CourseOption, LessonOption
from grader.core.text import commandless, printable
from grader.quiz.drawing.drawn import DrawnShort
from grader.quiz.marking.answers import read_answer
from grader.quiz.marking.decisions import Decisions, Ruling, answer_key, decided, write_decisions
from grader.quiz.marking.mark import Judged, SheetMarker
from grader.quiz.marking.sheet import Sheet

from .mark import BankOption, DecisionsOption, QuestionsOption, SeedOption, SheetsArgument, chosen, opened

__all__ = ["Waiting", "review", "waiting", "walk"]

KEYS: dict[str, tuple[Ruling, float]] = {
    "c": ("correct", 1.0),
    "p": ("partial", 0.5),
    "i": ("incorrect", 0.0),
}
SHOWN = 1_500  # characters of an answer that are shown


@dataclass(frozen=True, slots=True)
class Waiting:
    """One answer that waits, for all learners who gave it."""

    judged: Judged
    learners: tuple[str, ...]


def review(
    sheets: SheetsArgument,
    *,
    by: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Who decides; else the name this computer knows you by."),
    ] = None,
    bank: BankOption = None,
    questions: QuestionsOption = None,
    every: Annotated[bool, typer.Option("--all", help="All questions of the bank.")] = False,
    seed: SeedOption = None,
    decisions: DecisionsOption = None,
    listing: Annotated[bool, typer.Option("--list", help="Only list what waits.")] = False,
    lesson: LessonOption = None,
    course: CourseOption = None,
) -> None:
    """Decide the open answers one by one; each decision is kept at once and holds for equal answers."""
    loaded, read, kept, place = opened(sheets, bank, decisions, lesson, course)
    marker = SheetMarker(loaded, chosen(loaded, questions, every), seed, kept)
    open_ones = waiting(marker, read)
    if listing or not open_ones:
        for number, item in enumerate(open_ones, 1):
            typer.echo(f"{number}. {_headline(item)}: {commandless(_text(item, 200))}")
        typer.echo(f"{len(open_ones)} open")
        return
    check_places([place])
    count = walk(open_ones, loaded.quiz, kept, by or _name(), lambda made: write_decisions(place, made))
    typer.echo(f"{count} of {len(open_ones)} decided, kept in {place}")


def waiting(marker: SheetMarker, sheets: list[Sheet]) -> list[Waiting]:
    """What waits, question by question, the answers that most learners gave first."""
    found: dict[tuple[str, str], Judged] = {}
    learners: dict[tuple[str, str], list[str]] = {}
    for sheet in sheets:
        for judged in marker.open_ones(sheet):
            key = (judged.drawn.id, answer_key(judged.drawn, judged.value, judged.apart))
            found.setdefault(key, judged)
            learners.setdefault(key, []).append(sheet.learner)
    order = {question.id: place for place, question in enumerate(marker.questions)}
    often = Counter({key: len(names) for key, names in learners.items()})
    keys = sorted(found, key=lambda key: (order[key[0]], -often[key], key[1]))
    return [Waiting(found[key], tuple(learners[key])) for key in keys]


def walk(items: list[Waiting], quiz: str, kept: Decisions, by: str, keep: Callable[[Decisions], None]) -> int:
    """Ask about each item; how many were decided. Ends early at `q` or the end of the input."""
    count, shown = 0, ""
    for number, item in enumerate(items, 1):
        drawn = item.judged.drawn
        if drawn.id + drawn.prompt != shown:
            shown = drawn.id + drawn.prompt
            typer.echo(f"\n{drawn.id}: {drawn.prompt.strip()}")
            if isinstance(drawn, DrawnShort):
                typer.echo(f"  Right would be: {drawn.model.strip()}")
        why = item.judged.verdict.message
        asked = f"\n[{number}/{len(items)}] {_headline(item)}\n  {_text(item, SHOWN)}\n  {why}"
        typer.echo(commandless(asked))
        choice = _asked()
        if choice == "q":
            break
        if choice in KEYS:
            outcome, share = KEYS[choice]
            kept = kept.with_one(
                decided(drawn, quiz, item.judged.value, outcome, share, by, item.judged.apart)
            )
            keep(kept)
            count += 1
    return count


def _asked() -> str:
    while True:
        try:
            given = input("  c correct, p partly, i incorrect, s skip, q quit > ").strip().casefold()[:1]
        except (EOFError, KeyboardInterrupt):
            typer.echo("")
            return "q"
        if given in ("c", "p", "i", "s", "q"):
            return given


def _headline(item: Waiting) -> str:
    names = [printable(name, 40) for name in item.learners]
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return f"{item.judged.drawn.id}, {', '.join(names[:3])}{more}"


def _text(item: Waiting, limit: int) -> str:
    return printable(" ".join(read_answer(item.judged.value).text.split()), limit)


def _name() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        raise InputError("this computer has no name for you; say who decides with --by NAME") from None
