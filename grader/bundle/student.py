"""The bundle `student`: a zip for a machine that has Python, make and pip, and nothing of ours."""

from __future__ import annotations

from .model import Item, Kind, Source
from .shared import filled, learner_side, quiz


def items(source: Source) -> list[Item]:
    """Exercise, engine, sealed answers, the quiz without its key, and the Makefile that sets all up."""
    page = quiz(source)
    return [
        *learner_side(source),
        *([] if page is None else [page]),
        filled("student/Makefile.j2", "Makefile", source, quiz=page is not None),
        filled("student/README.md.j2", "README.md", source, quiz=page is not None),
    ]


STUDENT = Kind(
    "student", "learner", "exercise, engine and sealed answers for a learner's own machine", ".zip", items
)
