"""The bundles `classroom50`: a repository for learners, and the staff's custom autograder."""

from __future__ import annotations

from .model import Item, Kind, Source
from .shared import filled, staff_side
from .student import items as student_items


def staff_items(source: Source) -> list[Item]:
    """The hidden reference and the autograder's script."""
    script = filled("classroom50/autograder.sh.j2", "autograder.sh", source, executable=True)
    return [*staff_side(source), script]


CLASSROOM50 = (
    Kind("classroom50", "learner", "repository template for Classroom 50", ".zip", student_items),
    Kind("classroom50-staff", "staff", "custom autograder for Classroom 50", ".zip", staff_items),
)
