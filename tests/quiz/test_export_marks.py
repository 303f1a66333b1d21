from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import pytest

from grader.quiz.drawing.drawn import Drawn
from grader.quiz.export.formats import FORMATS
from grader.quiz.export.items import Blanks, Essay, Item, Match, Number, Order, Text, Truth
from grader.quiz.export.plan import Losses
from tests.quiz.platforms import canvas, gift, jupyter, moodle, qti21
from tests.quiz.platforms.tries import Try, drawn_items, expected, tries, whole

READERS: dict[str, Callable[[bytes], dict[str, Any]]] = {
    "moodle-xml": moodle.read, "gift": gift.read, "canvas-qti": canvas.read, "qti21": qti21.read,
}  # fmt: skip
# Where a platform has no like of a kind and earns points its own way; said on the terminal, and tested below.
OTHERWISE = {"gift": (Order,), "canvas-qti": (Order,), "moodle-xml": (), "qti21": ()}


@cache
def written(name: str, count: int = 3) -> bytes:
    return FORMATS[name].write(whole(count), Losses())


def attempts(name: str) -> Iterator[tuple[Drawn, Item, object, Try]]:
    for drawn, item in drawn_items(whole(3)):
        if not isinstance(item.form, (Essay, *OTHERWISE[name])):
            yield from ((drawn, item, sheet, given) for sheet, given in tries(item))


@pytest.mark.parametrize("name", READERS)
def test_the_same_answers_earn_the_same_as_here(name: str) -> None:
    questions = READERS[name](written(name))
    compared: Counter[str] = Counter()
    wrong = []
    for drawn, item, sheet, given in attempts(name):
        share = expected(drawn, sheet)
        if share is None:
            continue
        if name == "gift" and isinstance(item.form, Blanks) and len(item.form.blanks) > 1:
            parts = [questions[f"{item.name}-b{number}"].mark(Try("text", text))[0]
                     for number, text in enumerate(given.value, start=1)]  # fmt: skip
            earned = sum(parts) / len(parts)
        else:
            earned, _ = questions[item.name].mark(given)
        if name == "qti21":
            earned /= item.points
        compared[item.kind] += 1
        if abs(earned - share) > 0.0005:
            wrong.append((item.name, sheet, share, earned))
    assert wrong == []
    assert len(compared) == 8 - len(OTHERWISE[name])
    assert min(compared.values()) >= 4, compared


@pytest.mark.parametrize("name", READERS)
def test_every_kind_can_be_right_and_wrong_there(name: str) -> None:
    questions = READERS[name](written(name))
    seen: dict[str, set[bool]] = {}
    for _, item, _, given in attempts(name):
        if name == "gift" and isinstance(item.form, Blanks) and len(item.form.blanks) > 1:
            continue
        earned, _ = questions[item.name].mark(given)
        seen.setdefault(item.kind, set()).add(earned > 0.999 * (item.points if name == "qti21" else 1))
    assert all(outcomes == {True, False} for kind, outcomes in seen.items() if kind != "fill"), seen


@pytest.mark.parametrize("name", ["gift", "canvas-qti"])
def test_an_order_is_matched_to_places_where_there_is_no_ordering(name: str) -> None:
    questions = READERS[name](written(name))
    orders = [(drawn, item) for drawn, item in drawn_items(whole(3)) if isinstance(item.form, Order)]
    assert orders
    for drawn, item in orders:
        for sheet, given in tries(item):
            earned, _ = questions[item.name].mark(given)
            there = [given.places[shown] for shown in given.value]
            kept = sum(place == turn for turn, place in enumerate(there))
            assert earned == pytest.approx(kept / len(there), abs=0.0005)
            assert (earned > 0.999) == (expected(drawn, sheet) == 1)


@pytest.mark.parametrize("name", ["moodle-xml", "gift", "canvas-qti", "qti21"])
def test_each_option_says_its_own_feedback_and_the_explanation_is_there(name: str) -> None:
    questions = READERS[name](written(name))
    options = 0
    for _, item in drawn_items(whole(3)):
        if isinstance(item.form, Truth):
            for answer, feedback in item.form.feedback.items():
                assert words(feedback) <= words(questions[item.name].mark(Try("truth", answer))[1]), item.name
        if item.kind != "multiple_choice":
            continue
        for place, option in enumerate(item.form.options):
            _, said = questions[item.name].mark(Try("choice", frozenset({place})))
            assert words(option.feedback) <= words(said), (item.name, option.feedback, said)
            options += bool(option.feedback)
    assert options > 80


def words(text: str | None) -> set[str]:
    """Plain words of a text, without maths and code, which each format writes in its own way."""
    import re

    bare = re.sub(r"\$[^$]*\$|`[^`]*`|<[^>]*>|\\\(.*?\\\)", " ", text or "")
    return set(re.findall(r"[A-Za-z]{4,}", bare))


@pytest.mark.parametrize("name", ["moodle-xml", "gift", "qti21"])
def test_a_known_wrong_number_is_told_what_it_comes_from(name: str) -> None:
    questions = READERS[name](written(name))
    told = 0
    for _, item in drawn_items(whole(3)):
        if isinstance(item.form, Number):
            for wrong, feedback in item.form.traps:
                earned, said = questions[item.name].mark(Try("number", str(float(wrong))))
                assert earned == 0
                assert words(feedback) <= words(said)
                told += 1
    assert told > 40


# --- jupyterquiz --------------------------------------------------------------------------------


def test_jupyterquiz_marks_as_here_what_it_can_hold() -> None:
    entries = iter(json.loads(FORMATS["jupyterquiz"].write(whole(1), Losses())))
    checked: Counter[str] = Counter()
    for drawn, item in drawn_items(whole(1)):
        if isinstance(item.form, Essay):
            continue
        several = (len(item.form.lefts) if isinstance(item.form, Match)
                   else len(item.form.blanks) if isinstance(item.form, Blanks) else 1)  # fmt: skip
        mine = [next(entries) for _ in range(several)]
        for sheet, given in tries(item):
            share = expected(drawn, sheet)
            if share is not None:
                assert jupyter_right(mine, item, given) == (share == 1), (item.name, sheet)
                checked[item.kind] += 1
    assert next(entries, None) is None
    assert len(checked) == 8


def jupyter_right(entries: list[dict[str, Any]], item: Item, given: Try) -> bool:
    match given.form:
        case "truth":
            return jupyter.one(entries[0], 0 if given.value else 1)[0]
        case "choice" if entries[0]["type"] == "many_choice":
            return jupyter.many(entries[0], set(given.value))
        case "choice":
            return jupyter.one(entries[0], min(given.value))[0]
        case "number":
            return jupyter.number(entries[0], given.value)[0]
        case "text":
            return jupyter.string(entries[0], given.value)[0]
        case "order":
            return jupyter.string(
                entries[0], " ".join(item.form.parts[shown].letter for shown in given.value)
            )[0]
        case "blanks":
            return all(
                jupyter.string(entry, text)[0] for entry, text in zip(entries, given.value, strict=True)
            )
        case "match":
            return all(jupyter.one(entry, pick)[0] for entry, pick in zip(entries, given.value, strict=True))
    raise AssertionError(given)


def test_what_is_not_among_the_spellings_is_told_to_compare() -> None:
    entries = json.loads(FORMATS["jupyterquiz"].write(whole(1), Losses()))
    shapes = [item for _, item in drawn_items(whole(1)) if isinstance(item.form, Text)]
    strings = [entry for entry in entries if entry["type"] == "string"]
    assert len(strings) > len(shapes)
    for entry in strings:
        right, said = jupyter.string(entry, "quite another thing")
        assert not right
        assert "The key says" in said
