"""For people and their tables: the questions as Markdown and as CSV, with or without the key."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from grader.core.escape import unformula
from grader.quiz.expressions.templates import BLANK

from .items import Blanks, Choice, Essay, Item, Match, Number, Order, Text, Truth, items
from .markup import clean
from .plan import Plan
from .rubric_text import rubric_markdown
from .wordings import decimal, is_decimal, number_text

__all__ = ["COLUMNS", "csv_table", "markdown"]

COLUMNS = ("id", "name", "kind", "points", "tags", "prompt", "options", "answer", "feedback", "explanation")
SHOWN = COLUMNS[:7]  # all that may be seen before it is answered


def markdown(plan: Plan, key: bool = True) -> bytes:
    """The questions as a Markdown document; with `key`, answers, feedback and explanation below each."""
    parts = [f"# {plan.title}"]
    number = 0
    for group in plan.groups:
        for item in items(group):
            number += 1
            points = f"{number_text(item.points)} point{'' if item.points == 1 else 's'}"
            prompt = BLANK.sub(r"\\_\\_\\_\\_\\_ (\1)", item.prompt)
            parts += [f"## {number}. {item.name} ({points})", prompt, _options(item)]
            if key:
                parts += [f"**Answer:** {_answer(item)}", _feedback(item), item.explanation]
    return ("\n\n".join(part.strip("\n") for part in parts if part) + "\n").encode("utf-8", errors="replace")


def csv_table(plan: Plan, key: bool = True) -> bytes:
    """One row a question (UTF-8 with a mark that spreadsheets look for); without `key`, only what may be seen."""
    columns = COLUMNS if key else SHOWN
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(columns)
    for group in plan.groups:
        for item in items(group):
            row = {
                "id": item.id, "name": item.name, "kind": item.kind, "points": number_text(item.points),
                "tags": " ".join(item.tags), "prompt": item.prompt, "options": _options(item),
                "answer": _answer(item), "feedback": _feedback(item), "explanation": item.explanation,
            }  # fmt: skip
            writer.writerow([unformula(clean(row[column])) for column in columns])
    return ("\ufeff" + out.getvalue()).encode("utf-8")


def _options(item: Item) -> str:
    """What there is to choose from, as a list."""
    match item.form:
        case Truth():
            return "True or false?"
        case Choice(options, many):
            lines = [f"- ({option.letter}) {_inside(option.text)}" for option in options]
            return "\n".join([*lines, "", "Choose all that apply."] if many else lines)
        case Number(unit=unit) if unit:
            return f"(in {unit})"
        case Order(parts, _):
            return "\n".join(f"- ({part.letter}) {_inside(part.text)}" for part in parts)
        case Match(lefts, rights, _):
            numbered = [f"{number}. {_inside(left)}" for number, left in enumerate(lefts, start=1)]
            return "\n".join([*numbered, "", *(f"- ({part.letter}) {_inside(part.text)}" for part in rights)])
        case _:
            return ""


def _inside(text: str) -> str:
    """A text inside a list's item."""
    return "\n  ".join(text.split("\n"))


def _answer(item: Item) -> str:
    match item.form:
        case Truth(answer, _):
            return str(answer)
        case Choice(options):
            return ", ".join(f"({option.letter})" for option in options if option.correct)
        case Number(answers, slack, unit):
            said = " or ".join(decimal(answer) if is_decimal(answer) else str(answer) for answer in answers)
            room = f" ± {decimal(slack)}" if slack else ""
            return said + room + (f" {unit}" if unit else "")
        case Text(accept, what, _):
            return f"`{accept[0]}`" if what == "shape" else " or ".join(f"`{text}`" for text in accept)
        case Blanks(blanks, _):
            return "; ".join(
                f"({number}) {' or '.join(blank.accept)}" for number, blank in enumerate(blanks, start=1)
            )
        case Order(parts, _):
            return ", ".join(f"({part.letter})" for part in sorted(parts, key=lambda part: part.place))
        case Match(lefts, rights, _):
            pairs = sorted((part.place, part.letter) for part in rights if part.place < len(lefts))
            return ", ".join(f"{place + 1}{letter}" for place, letter in pairs)
        case Essay(model, _):
            return model


def _feedback(item: Item) -> str:
    lines = list(_said(item))
    return rubric_markdown(item.form) if isinstance(item.form, Essay) else "\n".join(lines)


def _said(item: Item) -> Iterator[str]:
    match item.form:
        case Truth(_, feedback):
            yield from (f"- {said}: {_inside(text)}" for said, text in feedback.items())
        case Choice(options):
            yield from (
                f"- ({option.letter}) {_inside(option.feedback)}" for option in options if option.feedback
            )
        case Number(traps=traps):
            yield from (f"- {decimal(wrong)}: {_inside(said)}" for wrong, said in traps)
        case Text(traps=shapes):
            yield from (f"- `{texts[0]}`: {_inside(said)}" for texts, said in shapes if texts)
        case Blanks(blanks, _):
            said = [
                (number, blank.feedback) for number, blank in enumerate(blanks, start=1) if blank.feedback
            ]
            yield from (f"- ({number}) {_inside(text)}" for number, text in said)
        case _:
            return
