"""What to say where a part of the grader was left out: it is not in this wheel, or its packages are not installed."""

from __future__ import annotations

__all__ = ["said_of_missing"]

OURS = "grader"


def said_of_missing(error: ModuleNotFoundError) -> str:
    """One line on the part that is not here, "" where the missing module is of no such part."""
    name = error.name or ""
    if name.split(".", maxsplit=1)[0] == OURS:
        return (
            "this part of the grader is not in a learner's bundle;"
            " whoever gives the course has it, in the course's checkout or in a staff bundle"
        )
    return ""
