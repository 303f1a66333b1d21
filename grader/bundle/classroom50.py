"""The bundles `classroom50`: a repository for learners, and the custom autograder of an assignment.

Classroom 50 publishes an autograder's folder for everybody to read, and runs it in the learner's own repository.
So this one is a learner's bundle too: it judges by sealed answers, and holds no line of the reference.
"""

from __future__ import annotations

from .model import Item, Kind, Source
from .shared import filled, learner_side
from .student import items as student_items


def autograder_items(source: Source) -> list[Item]:
    """Exercise, engine and sealed answers that no learner can edit, and the two scripts that grade with them."""
    return [
        *learner_side(source),
        filled("classroom50/README.md.j2", "README.md", source),
        filled("classroom50/autograder.py.j2", "autograder.py", source),
        filled("classroom50/autograder.sh.j2", "autograder.sh", source, executable=True),
    ]


CLASSROOM50 = (
    Kind("classroom50", "learner", "repository template for Classroom 50", ".zip", student_items),
    Kind(
        "classroom50-autograder",
        "learner",
        "custom autograder for Classroom 50, which everybody can read: sealed answers, no reference",
        ".zip",
        autograder_items,
    ),
)
