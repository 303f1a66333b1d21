"""Questions for jupyterquiz 2.9 (github.com/jmshea/jupyterquiz): a list, as JSON, marked where it is shown.

It knows choices, numbers and texts, and no points; so what is matched is one choice a left, and blanks one text each.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from fractions import Fraction
from html import escape
from typing import Any

from grader.quiz.expressions.templates import BLANK

from .items import Blanks, Choice, Item, Match, Number, Order, Text, Truth, items
from .markup import as_tex, html, inline_html
from .plan import Losses, Plan
from .wordings import bounds, decimal, is_decimal

__all__ = ["jupyterquiz"]

Entry = dict[str, Any]


def jupyterquiz(plan: Plan, losses: Losses) -> bytes:
    """The questions in order, as `display_quiz` reads them from a file."""
    entries = []
    for group in plan.groups:
        if group.several:
            losses.add("the draws stand one after the other; jupyterquiz has no groups", group.question.id)
        for item in items(group):
            if item.points != 1:
                losses.add("points: jupyterquiz counts none", item.id)
            entries += list(_entries(item, losses))
    return (json.dumps(entries, ensure_ascii=False, indent=2) + "\n").encode("utf-8")


def _html(text: str) -> str:
    # Its own reader makes maths of `$` and links of `[a](b)`, even in code.
    return inline_html(text, as_tex).replace("$", "&#36;").replace("](", "]&#40;")


def _prompt(text: str) -> str:
    return html(text, as_tex).replace("$", "&#36;").replace("](", "]&#40;")


def _said(feedback: str | None, explanation: str) -> str:
    parts = (feedback, explanation) if feedback else (explanation,)
    return "<br/>".join(_html(part) for part in parts)


def _entry(kind: str, prompt: str, answers: list[Entry]) -> Entry:
    return {"question": _prompt(prompt), "type": kind, "answers": answers}


def _entries(item: Item, losses: Losses) -> Iterator[Entry]:
    prompt, why = item.prompt, item.explanation
    match item.form:
        case Truth(answer, feedback):
            yield _entry("multiple_choice", prompt, [
                {"answer": str(said), "correct": said is answer, "feedback": _said(feedback.get(said), why)}
                for said in (True, False)
            ])  # fmt: skip
        case Choice(options, many):
            if many:
                losses.add("several right options: each is marked as it is clicked", item.id)
            yield _entry("many_choice" if many else "multiple_choice", prompt, [
                {"answer": _html(part.text), "correct": part.correct, "feedback": _said(part.feedback, why)}
                for part in options
            ])  # fmt: skip
        case Number():
            yield _number(item.form, item, losses)
        case Text(accept, what, traps):
            losses.add(f"{what}: only the listed spellings count; the feedback says to compare", item.id)
            wrong = [_typed(text, said, why, right=False) for texts, said in traps for text in texts]
            yield _entry("string", prompt, [*_right(accept, why), *wrong, _otherwise(accept[0], why)])
        case Blanks():
            yield from _blanks(item.form, item, losses)
        case Order():
            yield _order(item.form, item, losses)
        case Match():
            yield from _match(item.form, item, losses)
        case _:
            losses.add("short answer: left out, for no person marks there", item.id)


def _typed(text: str, feedback: str | None, why: str, *, right: bool) -> Entry:
    return {"answer": text, "correct": right, "feedback": _said(feedback, why)}


def _right(accept: tuple[str, ...], why: str) -> list[Entry]:
    return [_typed(text, None, why, right=True) for text in accept]


def _blanks(form: Blanks, item: Item, losses: Losses) -> Iterator[Entry]:
    if len(form.blanks) > 1:
        losses.add("several blanks: one question for each, with the others left open", item.id)
    losses.add("blanks: only the listed spellings count; the feedback says to compare", item.id)
    for number, blank in enumerate(form.blanks, start=1):

        def shown(found: re.Match[str], asked: int = number) -> str:
            return "_____" if int(found[1]) == asked else f"({found[1]})"

        why = f"{blank.feedback} {item.explanation}" if blank.feedback else item.explanation
        answers = [*_right(blank.accept, item.explanation), _otherwise(blank.accept[0], why)]
        yield _entry("string", BLANK.sub(shown, item.prompt), answers)


def _match(match: Match, item: Item, losses: Losses) -> Iterator[Entry]:
    losses.add("matching: one choice for each left", item.id)
    said = _said(None, item.explanation)
    for place, left in enumerate(match.lefts):
        options = [
            {"answer": _html(part.text), "correct": part.place == place, "feedback": said}
            for part in match.rights
        ]
        yield _entry("multiple_choice", f"{item.prompt}\n\n{left}", options)


def _otherwise(usual: str, why: str) -> Entry:
    return {
        "type": "default",
        "feedback": f"The key says <code>{escape(usual)}</code>; compare. {_html(why)}",
    }


def _number(number: Number, item: Item, losses: Losses) -> Entry:
    prompt, answers = item.prompt, []
    if number.unit:
        losses.add("units: the question says the unit; the number alone is typed", item.id)
        prompt = f"{prompt}\n\n(in {number.unit}; type the number alone)"
    for answer in number.answers:
        if not is_decimal(answer):
            losses.add("a number without an end as a decimal: taken when right to a millionth", item.id)
        low, high = bounds(answer, number.slack)
        said = {"correct": True, "feedback": _said(None, item.explanation)}
        if low == high:
            answers.append({"type": "value", "value": _json(answer), **said})
        else:  # the upper end is not in its ranges, so it stands by itself
            answers.append({"type": "value", "value": _json(high), **said})
            answers.append({"type": "range", "range": [_json(low), _json(high)], **said})
    for wrong, feedback in number.traps:
        answers.append(
            {
                "type": "value",
                "value": _json(wrong),
                "correct": False,
                "feedback": _said(feedback, item.explanation),
            }
        )
    answers.append({"type": "default", "feedback": _html(item.explanation)})
    return _entry("numeric", prompt, answers)


def _json(value: Fraction) -> int | float:
    return value.numerator if value.denominator == 1 else float(decimal(value))


def _order(order: Order, item: Item, losses: Losses) -> Entry:
    losses.add("ordering: the letters are typed in order; it is all right or all wrong", item.id)
    listed = "\n".join(f"- **{part.letter}**: {part.text}" for part in order.parts)
    letters = [part.letter for part in sorted(order.parts, key=lambda part: part.place)]
    ask = f"{item.prompt}\n\n{listed}\n\nType the letters in order."
    spellings = ("".join(letters), " ".join(letters), ", ".join(letters), ",".join(letters))
    return _entry(
        "string", ask, [*_right(spellings, item.explanation), _otherwise(" ".join(letters), item.explanation)]
    )
