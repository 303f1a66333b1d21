"""The cells that all notebooks share: the brief, a place to write for each step, the knowledge check."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

from grader.lesson.lesson import Step
from grader.quiz.bank.bank import read_bank
from grader.quiz.drawing.draw import draw
from grader.quiz.shown.view import view
from grader.submission.notebook import OURS

from .choices import given
from .contents import BRIEF, exercise, solution_texts, taken_along
from .model import Item, Source

Cell = dict[str, Any]
RUN_ONCE = "run it once, and leave it as it is"
LEAVE = "leave it as it is"
MARKED = re.compile(r"^#+ BEGIN SOLUTION.*?^#+ END SOLUTION[^\n]*$", re.MULTILINE | re.DOTALL)
GUARDED = """try:
{body}
except AssertionError:
    raise
except BaseException as fault:  # the grader's own, or its set-up's
    import os, sys

    if not {grading}:
        raise
    why = f"Not graded: the grader or its set-up failed, not the learner: {{fault!r}}\\n"
    os.write(sys.stderr.fileno(), why.encode())
    os._exit(3)  # without a kernel the run fails, and nobody gets a zero of it"""


def markdown(name: str, text: str, **metadata: object) -> Cell:
    """A text cell; `name` is its lasting id."""
    return {"cell_type": "markdown", "id": name, "metadata": metadata, "source": text.strip("\n")}


def code(name: str, text: str, **metadata: object) -> Cell:
    """A code cell that has not been run."""
    frame: Cell = {
        "cell_type": "code",
        "id": name,
        "metadata": metadata,
        "execution_count": None,
        "outputs": [],
    }
    return {**frame, "source": text.strip("\n")}


def ours(name: str, say: str, text: str, **metadata: object) -> Cell:
    """A code cell of the bundle's own, which no grade takes for the learner's work."""
    return code(name, f"{OURS}: {say}\n{text}", **metadata)


def guarded(body: str, grading: str) -> str:
    """Code whose points count while `grading`, an expression, is true: where these cannot be told the kernel ends.

    An AssertionError is a learner's, and goes on.
    """
    return GUARDED.format(body=textwrap.indent(body, "    "), grading=grading)


def handed_out(book: bytes) -> bytes:
    """A notebook with solutions as learners get it: what stands between a platform's marks is taken out."""
    whole = json.loads(book)
    cells = [{**cell, "source": MARKED.sub("", "".join(cell["source"]))} for cell in whole["cells"]]
    return json.dumps({**whole, "cells": cells}).encode()


def raw(name: str, text: str) -> Cell:
    """A cell that a platform's tools read and take out."""
    return {"cell_type": "raw", "id": name, "metadata": {}, "source": text.strip("\n")}


def notebook(path: str, cells: list[Cell]) -> Item:
    """A whole notebook, format 4.5, as a file of a bundle."""
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    facts = {"kernelspec": kernel, "language_info": {"name": "python"}}
    whole = {"nbformat": 4, "nbformat_minor": 5, "metadata": facts, "cells": cells}
    return Item(path, (json.dumps(whole, indent=1, ensure_ascii=False) + "\n").encode())


def brief(source: Source) -> Cell:
    """The lesson's brief, with the assignment's title and due date before it."""
    text = next(i.data for i in given(source) if i.path.endswith(f"/{BRIEF}")).decode()
    body = re.sub(r"\A# .*\n", "", text)
    due = f"\n\n**Due: {source.options.due}**" if source.options.due else ""
    return markdown("brief", f"# {source.title}{due}\n{body}")


def heading(step: Step, points: float) -> Cell:
    """A step's title and what it is worth."""
    return markdown(f"{step.id}-title", f"## {step.title}\n\nStep `{step.id}`, {points:g} points.")


def skeletons(source: Source) -> Mapping[str, str]:
    """Each step's skeleton as its cell begins, by id; a lesson's `from __future__` line is a file's, not a cell's."""
    files = {
        item.path.rpartition("/")[2]: item.data.decode() for item in exercise(source.root, source.lesson)
    }
    return {step.id: _as_cell(files[step.file]) for step in source.lesson.steps}


def solved(source: Source, begin: str, end: str) -> Mapping[str, str]:
    """Each step's skeleton with its solution below, by id; a platform takes out what is between the marks.

    What a solution takes from another step's file stands in a cell above it; what it takes from a file of no step
    that is asked for stands before it in its own cell, so that it holds for some of the steps alone, too.
    """
    texts = solution_texts(source.lesson)
    files = "|".join(map(re.escape, texts))
    bare = {
        name: re.sub(rf"^from (?:{files}) import .*\n", "", _as_cell(text), flags=re.MULTILINE).strip()
        for name, text in texts.items()
    }
    needed, skeleton = taken_along(source.lesson), skeletons(source)
    made = {}
    for step in source.lesson.steps:
        parts = [bare[name] for name in (*needed[step.id], step.file.removesuffix(".py"))]
        made[step.id] = "\n".join([f"{skeleton[step.id].rstrip()}\n\n", begin, "\n\n\n".join(parts), end])
    return made


def quiz(source: Source) -> Iterator[Cell]:
    """The Knowledge Check as text, and a cell to write the answers into; nothing where there is no quiz."""
    path = source.root / "quizzes" / f"{source.lesson.slug}.yaml"
    if not path.is_file():
        return
    bank = read_bank(path)
    questions = [view(draw(question)) for question in bank.select(None)]
    lines = [
        f"## Knowledge check: {bank.title}",
        "",
        "Write your answers into the cell below in place of `None`: texts and letters between quotes.",
    ]
    for number, shown in enumerate(questions, 1):
        lines += ["", f"**{number}. `{shown.id}`** {shown.prompt.strip()}"]
        if shown.code:
            lines += ["", "```python", shown.code.rstrip("\n"), "```"]
        lines += ["", f"*{shown.ask}*", ""]
        lines += [f"{place}. {left}" for place, left in enumerate(shown.lefts, 1)]
        lines += [""] if shown.lefts else []
        lines += [f"- {f'({thing.letter}) ' if shown.lettered else ''}{thing.text}" for thing in shown.things]
    yield markdown("quiz-questions", "\n".join(lines))
    rows = [f"    {shown.id!r}: None," for shown in questions]
    yield code("quiz-answers", "\n".join(["answers = {", *rows, "}"]))
    save = [
        "import json",
        'with open("answers.json", "w", encoding="utf-8") as file:',
        '    json.dump({"learner": "", "answers": answers}, file, indent=1)',
        'print("answers.json is written: hand it in beside this notebook.")',
    ]
    yield code("quiz-save", "\n".join(save))


def _as_cell(text: str) -> str:
    return re.sub(r"^from __future__ import annotations\n+", "", text, flags=re.MULTILINE)
