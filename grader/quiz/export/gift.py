"""GIFT, as Moodle's `qformat_gift` reads it (docs.moodle.org/en/GIFT_format)."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction

from grader.quiz.expressions.templates import BLANK

from .items import Blanks, Choice, Essay, Item, Match, Number, Order, Text, Truth, items
from .markup import as_tex, html, inline_html, plain
from .moodle import MOST_RIGHT, percent
from .plan import Losses, Plan
from .rubric_text import rubric_markdown
from .wordings import bounds, decimal, is_decimal, number_text

__all__ = ["gift", "gift_escaped"]

BLANK_LINE = "_____"


def gift(plan: Plan, losses: Losses) -> bytes:
    """The questions under a category, the draws of each parametrised one under a category below."""
    parts = [f"$CATEGORY: $course$/top/{_path(plan.title)}"]
    for group in plan.groups:
        if not group.several:
            parts += [_question(item, losses) for item in items(group)]
    for group in plan.groups:
        if group.several:
            losses.add(
                "the draws are a category each; add a random question from it to the quiz", group.question.id
            )
            parts.append(f"$CATEGORY: $course$/top/{_path(plan.title)}/{_path(group.question.id)}")
            parts += [_question(item, losses) for item in items(group)]
    return ("\n\n".join(part for part in parts if part) + "\n").encode("utf-8")


def gift_escaped(text: str) -> str:
    r"""The text where GIFT's own signs would be taken for such; a line's end as `\n`."""
    made = text.replace("\\", "\\\\").replace("\r", "")
    for sign in "#=~{}:":
        made = made.replace(sign, f"\\{sign}")
    return made.replace("\n", "\\n")


def _path(name: str) -> str:
    return " ".join(name.replace("/", "//").split())


def _question(item: Item, losses: Losses) -> str:
    if item.points != 1:
        losses.add("points: GIFT knows none, each question counts one; set them in the quiz", item.id)
    if isinstance(item.form, Blanks) and len(item.form.blanks) > 1:
        return _several_blanks(item.form, item, losses)
    prompt = item.prompt
    if isinstance(item.form, Blanks):
        prompt = BLANK.sub(BLANK_LINE, prompt)
    inside = _answers(item, losses)
    return "" if inside is None else _written(item, item.name, prompt, inside)


def _written(item: Item, name: str, prompt: str, inside: str) -> str:
    tags = list(item.facts)
    if item.points != 1:
        tags.append(f"points:{number_text(item.points)}")
    comment = f"// [id:{name}] " + " ".join(f"[tag:{tag}]" for tag in tags)
    if isinstance(item.form, Essay):
        rubric = "\n".join(f"// {line}".rstrip() for line in rubric_markdown(item.form).split("\n"))
        comment = f"{comment}\n{rubric}"
    explanation = gift_escaped(html(item.explanation, as_tex))
    lines = f"\n{inside}\n" if inside else ""
    return f"{comment}\n::{gift_escaped(name)}::[html]{gift_escaped(html(prompt, as_tex))}{{{lines}####{explanation}}}"


def _html(text: str) -> str:
    made = inline_html(text, as_tex)
    # A per cent sign at the head would be taken for a weight.
    return gift_escaped(f"&#37;{made[1:]}" if made.startswith("%") else made)


def _said(feedback: str | None) -> str:
    return f"#{_html(feedback)}" if feedback else ""


def _answers(item: Item, losses: Losses) -> str | None:
    """What stands in the braces; None where nothing can."""
    match item.form:
        case Truth(answer, feedback):
            return _truth(answer, feedback)
        case Choice():
            return "\n".join(_choice(item.form, item, losses))
        case Number():
            return "\n".join(_number(item.form, item, losses))
        case Text(accept, what, traps):
            losses.add(f"{what}: only the listed spellings count; look at answers marked wrong", item.id)
            known = [(spelling, said) for spellings, said in traps for spelling in spellings]
            return _spellings(accept, known, item, losses)
        case Blanks(blanks, _):
            losses.add("blanks: only the listed spellings count; look at answers marked wrong", item.id)
            return _spellings(blanks[0].accept, [], item, losses, blanks[0].feedback)
        case Order(parts, _):
            losses.add(
                "ordering: each item is matched to its place, and each right one earns its part", item.id
            )
            return "\n".join(f"={_html(part.text)} -> {part.place + 1}" for part in parts)
        case Match():
            return "\n".join(_match(item.form, item, losses))
        case Essay():
            losses.add("short answer: an essay that a person marks, with the rubric in a comment", item.id)
            return ""


def _truth(answer: bool, feedback: dict[bool, str]) -> str:
    """What is said to the wrong answer stands before what is said to the right one."""
    right, wrong = _said(feedback.get(answer)), _said(feedback.get(not answer))
    return ("TRUE" if answer else "FALSE") + (wrong or ("#" if right else "")) + right


def _choice(choice: Choice, item: Item, losses: Losses) -> list[str]:
    if not choice.many:
        signs = {True: "=", False: "~"}
        return [
            signs[option.correct] + _html(option.text) + _said(option.feedback) for option in choice.options
        ]
    if choice.right > MOST_RIGHT:
        losses.add(f"more than {MOST_RIGHT} right options: Moodle pays for {MOST_RIGHT} of them", item.id)
    if not choice.partial:
        losses.add("all or nothing: who chooses some right options and no wrong one earns a part", item.id)
    gain = Fraction(1, min(choice.right, MOST_RIGHT))
    shares = {True: percent(gain), False: percent(-gain if choice.partial else Fraction(-1))}
    return [
        f"~%{shares[option.correct]}%{_html(option.text)}{_said(option.feedback)}"
        for option in choice.options
    ]


def _number(number: Number, item: Item, losses: Losses) -> list[str]:
    if number.unit:
        losses.add("units: GIFT knows none, only the number is asked for", item.id)
    if not all(map(is_decimal, number.answers)):
        losses.add("a number without an end as a decimal: taken when right to a millionth", item.id)
    lines = [
        f"=%100%{decimal(answer)}:{decimal(bounds(answer, number.slack)[1] - answer)}#"
        for answer in number.answers
    ]
    lines += [f"=%0%{decimal(wrong)}:0{_said(said)}" for wrong, said in number.traps]
    return ["#", *lines]


def _spellings(
    accept: tuple[str, ...],
    wrong: list[tuple[str, str]],
    item: Item,
    losses: Losses,
    otherwise: str | None = None,
) -> str | None:
    """Right and wrong texts; `->` would make GIFT take them for pairs, so no text may hold it."""
    usable = [text for text in accept if "->" not in text]
    if len(usable) < len(accept):
        lost = (
            "a spelling with `->` is left out"
            if usable
            else "left out: GIFT takes `->` in an answer for a pair"
        )
        losses.add(lost, item.id)
    if not usable:
        return None
    lines = [f"=%100%{_literal(text)}#" for text in usable]
    lines += [f"=%0%{_literal(text)}{_said(said)}" for text, said in wrong if "->" not in text]
    if otherwise:
        lines.append(f"=%0%*{_said(otherwise)}")
    return "\n".join(lines)


def _literal(text: str) -> str:
    """The text where `*` stands for anything unless escaped."""
    return gift_escaped(text.replace("*", r"\*"))


def _match(match: Match, item: Item, losses: Losses) -> list[str]:
    if not match.partial:
        losses.add("all or nothing: each right pair earns its part", item.id)
    if any("$" in part.text or "`" in part.text for part in match.rights):
        losses.add("maths and code in what is matched to: as text, for Moodle shows it in a menu", item.id)
    lines = []
    for part in sorted(match.rights, key=lambda part: part.place):
        left = _html(match.lefts[part.place]) if part.place < len(match.lefts) else ""
        lines.append(f"={left} -> {gift_escaped(plain(part.text))}")
    return lines


def _several_blanks(form: Blanks, item: Item, losses: Losses) -> str:
    """One question a blank: GIFT has one answer a question."""
    losses.add("several blanks: one question for each, with the others left open", item.id)
    losses.add("blanks: only the listed spellings count; look at answers marked wrong", item.id)
    parts = []
    for number, blank in enumerate(form.blanks, start=1):

        def shown(found: re.Match[str], asked: int = number) -> str:
            place = int(found.group(1))
            return BLANK_LINE if place == asked else f"({place})"

        inside = _spellings(blank.accept, [], item, losses, blank.feedback)
        if inside is not None:
            alone = replace(item, lost=(*item.lost, "blanks"))
            parts.append(_written(alone, f"{item.name}-b{number}", BLANK.sub(shown, item.prompt), inside))
    return "\n\n".join(parts)
