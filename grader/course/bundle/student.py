"""The bundle `student`: a zip for a machine that has Python, make and pip, and nothing of ours."""

from __future__ import annotations

from .model import Item, Kind, Source
from .shared import filled, learner_side, quiz_side

SETUP = "engine/setup.sh"


def items(source: Source) -> list[Item]:
    """Exercise, engine, sealed answers, the quiz as far as learners may have it, and the Makefile that sets all up."""
    quiz = quiz_side(source)
    return [
        *learner_side(source),
        *quiz.items,
        filled("student/setup.sh.j2", SETUP, source, executable=True, quiz=quiz),
        filled("student/Makefile.j2", "Makefile", source, quiz=quiz, setup=SETUP),
        filled("student/README.md.j2", "README.md", source, quiz=quiz),
    ]


STUDENT = Kind(
    "student", "learner", "exercise, engine and sealed answers for a learner's own machine", ".zip", items
)
