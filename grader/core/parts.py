"""What to say where a part of the grader was left out of its wheel."""

from __future__ import annotations

__all__ = ["said_of_missing"]

STAFFS = (
    "course.audit",
    "course.bundle",
    "course.platforms.gradescope",
    "quiz.export",
    "quiz.importing",
    "quiz.stats",
)
ROOMS = tuple(f"grader.{name}" for name in STAFFS)


def said_of_missing(error: ModuleNotFoundError) -> str:
    """One line on the part that is not here, "" where the missing module is of no such part."""
    name = error.name or ""
    if any(name == room or name.startswith(f"{room}.") for room in ROOMS):
        return (
            "this part of the grader is not in a learner's bundle;"
            " whoever gives the course has it, in the course's checkout or in a staff bundle"
        )
    return ""
