"""Answers to try on a question: as a sheet of ours holds them, and as a platform gets them."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from grader.quiz.bank.bank import read_bank
from grader.quiz.drawing.drawn import Drawn
from grader.quiz.export.items import Blanks, Choice, Essay, Item, Match, Number, Order, Text, Truth, items
from grader.quiz.export.plan import Plan, plan
from grader.quiz.marking.marking import Marking

ROOT = Path(__file__).resolve().parents[3]
BANK = read_bank(ROOT / "quizzes" / "multi_head_attention.yaml")
EVERY = [question.id for question in BANK.questions]
MARKING = Marking(BANK)


@dataclass(frozen=True)
class Try:
    """One answer: `value` names options and parts by where they are shown, from 0; `places` tells their true places."""

    form: str
    value: Any
    places: tuple[int, ...] = ()


def whole(count: int, seed: int = 0, ids: list[str] | None = None) -> Plan:
    return planned(count, seed, tuple(EVERY if ids is None else ids))


@functools.cache
def planned(count: int, seed: int, ids: tuple[str, ...]) -> Plan:
    return plan(BANK, ids, count, seed)


def drawn_items(made: Plan) -> list[tuple[Drawn, Item]]:
    return [pair for group in made.groups for pair in zip(group.drawn, items(group), strict=True)]


def tries(item: Item) -> Iterator[tuple[object, Try]]:  # noqa: C901 - one case a form
    """(what a sheet of ours would hold, what the platform gets)."""
    form = item.form
    match form:
        case Truth():
            yield from ((str(said).lower(), Try("truth", said)) for said in (True, False))
        case Choice(options, many):
            sizes = range(1, len(options) + 1) if many else (1,)
            for size in sizes:
                for chosen in itertools.combinations(range(len(options)), size):
                    yield [options[place].letter for place in chosen], Try("choice", frozenset(chosen))
        case Number():
            yield from ((text, Try("number", text)) for text in _numbers(form))
        case Text(accept, _, traps):
            wrong = [text for texts, _ in traps for text in texts[:2]]
            yield from ((text, Try("text", text)) for text in (*accept[:6], accept[0].upper(), *wrong))
        case Blanks(blanks):
            right = [blank.accept[0] for blank in blanks]
            yield right, Try("blanks", tuple(right))
            last = [blank.accept[-1] for blank in blanks]
            yield last, Try("blanks", tuple(last))
            for place in range(len(blanks)):
                one_off = [*right[:place], "7919", *right[place + 1 :]]
                yield one_off, Try("blanks", tuple(one_off))
        case Order(parts):
            places = tuple(part.place for part in parts)
            by_place = sorted(range(len(parts)), key=lambda shown: places[shown])
            for order in (by_place, list(range(len(parts))), by_place[::-1], [*by_place[1:], by_place[0]],
                          [by_place[1], by_place[0], *by_place[2:]]):  # fmt: skip
                yield [parts[shown].letter for shown in order], Try("order", tuple(order), places)
        case Match(lefts, rights):
            places = tuple(part.place for part in rights)
            shown = [places.index(place) for place in range(len(lefts))]
            far = [places.index(place) for place in range(len(lefts), len(rights))]
            swapped = [shown[1], shown[0], *shown[2:]]
            turned = [*shown[1:], shown[0]]
            distracted = [far[0], *shown[1:]] if far else shown
            for picks in (shown, swapped, turned, distracted):
                sheet = [f"{left + 1}{rights[pick].letter}" for left, pick in enumerate(picks)]
                yield sheet, Try("match", tuple(picks), places)
        case Essay():
            return


def _numbers(number: Number) -> Iterator[str]:
    for answer in number.answers:
        yield plain(answer)
        yield plain(answer + number.slack)
        yield plain(answer - number.slack)
        yield plain(answer + number.slack + 1)
        yield plain(answer - number.slack - 1)
    yield from (plain(wrong) for wrong, _ in number.traps)


def plain(value: Fraction) -> str:
    return str(value.numerator) if value.denominator == 1 else repr(float(value))


def expected(drawn: Drawn, sheet: object) -> float | None:
    """The share that our own marking gives; None where a person has to say."""
    verdict = MARKING.mark(drawn, sheet)
    return None if verdict.outcome == "needs_review" else verdict.share
