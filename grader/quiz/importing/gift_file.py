"""Reads GIFT as Moodle does: escapes first, blank lines between questions, `//` for comments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from grader.core.text import printable
from grader.quiz.export.plan import Losses
from grader.quiz.expressions.arithmetic import ExpressionError, written

from .build import Answer, choice, essay, model_of, numbers, pairs, share_of, texts, truth
from .found import Fields, Found
from .from_html import Prose

__all__ = ["gift_questions"]

# Escaped signs are put aside as letters that no text has, so that what is left of them is GIFT's own.
SIGNS = "~=#{}:"
ASIDE = {sign: chr(0xE000 + place) for place, sign in enumerate(SIGNS)}
BACK = str.maketrans({aside: sign for sign, aside in ASIDE.items()})
FORMATS = ("html", "markdown", "plain", "moodle")
WEIGHT = re.compile(r"%(-?[^%\s]{1,40})%")
TAGS = re.compile(r"\[(id|tag):([^\[\]]*)\]")


def gift_questions(text: str, losses: Losses) -> Iterator[tuple[Found, Fields | None]]:
    """Each question and its kind's fields; None where it cannot be had."""
    text = re.sub("[\ue000-\ue005]", "\ufffd", text.replace("\r\n", "\n").replace("\r", "\n"))
    for number, block in enumerate(re.split(r"\n[ \t]*(?:\n[ \t]*)+", text), start=1):
        lines = block.split("\n")
        comments = [line for line in lines if line.lstrip().startswith("//")]
        body = _aside("\n".join(line for line in lines if not line.lstrip().startswith("//"))).strip()
        if not body or body.startswith("$CATEGORY:"):
            continue
        found, inside = _found(body, number, comments, losses)
        if inside is None:
            continue  # a description asks nothing
        try:
            yield found, _fields(inside, found, losses)
        except ValueError as problem:
            losses.add(f"left out: {printable(str(problem), 120)}", found.name)
            yield found, None


def _aside(text: str) -> str:
    def kept(found: re.Match[str]) -> str:
        sign = found.group(1)
        return "\n" if sign == "n" else ASIDE.get(sign, sign)

    return re.sub(r"\\([~=#{}:n\\])", kept, text)


def _plain(text: str) -> str:
    return text.translate(BACK).strip()


def _prose(text: str, form: str, losses: Losses, owner: str) -> str:
    text = text.strip()
    named = re.match(r"\[(\w+)\]", text)
    if named and named.group(1) in FORMATS:
        form, text = named.group(1), text[named.end() :]
    prose = Prose(_plain(text), form)
    if prose.media:
        losses.add("pictures and other media: left out", owner)
    return prose.markdown


def _found(body: str, number: int, comments: list[str], losses: Losses) -> tuple[Found, str | None]:
    """What all kinds have, and what stands in the braces; None where there are none."""
    said = [pair for line in comments for pair in TAGS.findall(line)]
    name = next((value for key, value in said if key == "id"), "")
    notes = "\n".join(line.lstrip()[2:].strip() for line in comments if not TAGS.search(line))
    title = re.match(r"::(.*?)::", body, re.DOTALL)
    if title:
        name, body = name or _plain(title.group(1)), body[title.end() :]
    name = printable(" ".join(name.split()), 80) or f"question {number}"
    found = Found(name, "", tags=[value for key, value in said if key == "tag"], notes=notes)
    named = re.match(r"\s*\[(\w+)\]", body)
    form = named.group(1) if named and named.group(1) in FORMATS else "moodle"
    body = body[named.end() :] if named and named.group(1) in FORMATS else body
    start, end = body.find("{"), body.find("}")
    if start < 0 or end < start:
        if start >= 0 or end >= 0:
            losses.add("left out: a brace without its partner", name)
        return found, None
    tail = body[end + 1 :].strip()
    found.prompt = _prose(body[:start] + (f"_____ {tail}" if tail else ""), form, losses, name)
    inside, _, general = (
        body[start + 1 : end].rpartition("####")
        if "####" in body[start:end]
        else (body[start + 1 : end], "", "")
    )
    found.explanation = _prose(general, form, losses, name)
    if points := found.tag("points"):
        try:
            found.points = float(written(points))
        except ExpressionError:
            losses.add("points that are no number: one is taken", name)
    return found, f"[{form}]{inside.strip()}"


def _fields(inside: str, found: Found, losses: Losses) -> Fields:
    form, _, inside = inside[1:].partition("]")
    flat = inside.strip()
    if not flat:
        return essay(found, model_of(found.notes), losses)
    if flat.startswith("#"):
        return _numeric(flat[1:], form, found, losses)
    if "~" in flat:
        single = "=" in flat
        answers = [_answer(part, form, found, losses, prose=True) for part in _parts(flat)]
        return choice(found, answers, single=single, shuffle=False, losses=losses)
    if flat.startswith("=") and "->" in flat:
        return pairs(found, list(_pairs(flat, form, found, losses)), losses)
    head, *said = flat.split("#")
    if head.strip().upper() in ("T", "TRUE", "F", "FALSE"):
        answer = head.strip().upper().startswith("T")
        wrong, right = ([_prose(text, form, losses, found.name) for text in said] + ["", ""])[:2]
        return truth(answer, {answer: right, not answer: wrong})
    parts = _parts(flat if flat.startswith("=") else f"={flat}")
    return texts(found, [_answer(part, form, found, losses) for part in parts], losses)


def _parts(flat: str) -> list[str]:
    return [part for part in re.split(r"(?=[=~])", flat) if part.strip()]


def _answer(part: str, form: str, found: Found, losses: Losses, *, prose: bool = False) -> Answer:
    sign, rest = part[0], part[1:].strip()
    weight = WEIGHT.match(rest)
    share = Fraction(1 if sign == "=" else 0)
    if weight:
        share, rest = share_of(weight.group(1)), rest[weight.end() :]
    text, _, feedback = rest.partition("#")
    said = _prose(feedback, form, losses, found.name)
    return Answer(share, _prose(text, form, losses, found.name) if prose else _plain(text), said)


def _pairs(flat: str, form: str, found: Found, losses: Losses) -> Iterator[tuple[str, str]]:
    for part in _parts(flat):
        left, arrow, right = part[1:].partition("->")
        if not arrow:
            raise ValueError("a pair without `->`")
        yield _prose(left, form, losses, found.name), Prose(_plain(right), "plain").markdown


def _numeric(flat: str, form: str, found: Found, losses: Losses) -> Fields:
    head, tilde, wrong = flat.partition("~")
    if tilde and wrong.strip(" #\n"):
        losses.add("a share, a tolerance or a word for wrong numbers: left out", found.name)
    head = head.strip()
    parts = _parts(head if head.startswith("=") else f"={head}")
    return numbers(found, [_ranged(_answer(part, form, found, losses)) for part in parts], (), losses)


def _ranged(answer: Answer) -> Answer:
    """An answer `3`, `3:0.1` or `2.9..3.1` as a number and how far off one may be."""
    text = answer.text
    if ".." in text:
        low, high = map(written, text.split("..", 1))
        return Answer(answer.share, str((low + high) / 2), answer.feedback, abs(high - low) / 2)
    value, _, slack = text.partition(":")
    return Answer(answer.share, value.strip(), answer.feedback, written(slack or "0"))
