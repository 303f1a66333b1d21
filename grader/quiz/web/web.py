"""The quiz as one HTML page: no network, no script needed to read it, no key in it where it is an exam."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from markupsafe import Markup

from grader.core.errors import LessonError
from grader.core.escape import html_policy
from grader.core.templates import render, template_text
from grader.quiz.bank.bank import Bank
from grader.quiz.drawing.draw import draw
from grader.quiz.drawing.drawn import Drawn
from grader.quiz.shown.prose import html, inline_html, plain_line
from grader.quiz.shown.view import View, view
from grader.quiz.taking.progress import Mode

from .page_key import page_key, told

__all__ = ["quiz_page"]


def quiz_page(
    bank: Bank, ids: Iterable[str] | None = None, *, seed: int = 0, learner: str = "", mode: Mode = "practice"
) -> str:
    """The page with these questions (the Knowledge Check for None) as drawn for `learner`, or for everybody.

    Raises InputError for an unknown id, LessonError for maths that is not understood.
    """
    drawn = [draw(question, seed, learner) for question in bank.select(ids)]
    style, script = template_text("quiz/page.css"), template_text("quiz/page.js")
    sheet = {
        "quiz": bank.quiz,
        "learner": "",
        "drawn_for": learner,
        "seed": seed,
        "mode": mode,
        "answers": {},
    }
    facts: dict[str, Any] = {"sheet": sheet}
    templates: dict[str, Markup] = {}
    if mode == "practice":  # only here does anything of the key enter the page
        facts["keys"] = {item.id: page_key(item) for item in drawn}
        for item in drawn:
            templates |= {f"told-{item.id}-{name}": text for name, text in told(item).items()}
    return render(
        "quiz/page.html.j2",
        title=bank.title,
        counted=_counted(len(drawn), "question"),
        points=_counted(sum(item.points for item in drawn), "point"),
        exam=mode == "exam",
        learner=learner,
        items=[_item(item) for item in drawn],
        templates=templates,
        blank_sheet=_blank_sheet(sheet, [item.id for item in drawn]),
        facts=facts,
        style=Markup(style),
        script=Markup(script),
        policy=html_policy(style, script),
    )


def _item(drawn: Drawn) -> dict[str, object]:
    """What the template needs of one question; made of its view, which has no key."""
    shown = view(drawn)
    try:
        return _filled(shown)
    except LessonError as error:
        raise LessonError(f"question {drawn.id!r}: {error}") from None


def _filled(shown: View) -> dict[str, object]:
    things = [
        {"letter": thing.letter, "html": inline_html(thing.text), "plain": plain_line(thing.text)}
        for thing in shown.things
    ]
    return {
        "id": shown.id,
        "points": _counted(shown.points, "point"),
        "prompt": html(shown.prompt),
        "control": shown.control,
        "ask": shown.ask,
        "code": shown.code.rstrip("\n").split("\n") if shown.code else [],
        "lines": shown.lines,
        "things": things,
        "lettered": shown.lettered,
        "lefts": [inline_html(left) for left in shown.lefts],
        "blanks": shown.blanks,
    }


def _blank_sheet(sheet: Mapping[str, object], ids: Iterable[str]) -> str:
    """The sheet to be filled by hand, where no script can write it."""
    import yaml

    head = yaml.safe_dump(
        {
            **{name: value for name, value in sheet.items() if name != "answers"},
            "learner": sheet["drawn_for"] or "your name",
        },
        sort_keys=False,
    )
    return f"{head}answers:\n" + "".join(f"  {name}:\n" for name in ids)


def _counted(number: float, noun: str) -> str:
    return f"{number:g} {noun}" if number == 1 else f"{number:g} {noun}s"
