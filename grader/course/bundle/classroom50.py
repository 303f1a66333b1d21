"""The bundles `classroom50`: a repository for learners, and the custom autograder of an assignment.

Classroom 50 publishes an autograder's folder for everybody to read, and runs it in the learner's own repository.
So the autograder is a learner's bundle too: it judges by sealed answers, holds no line of the reference, and makes
practice. A grade that has to stand is made of the collected repositories, where nobody else can read.
"""

from __future__ import annotations

from .model import Item, Kind, Source
from .shared import filled, learner_side, staff_side
from .student import items as student_items


def autograder_items(source: Source) -> list[Item]:
    """Exercise, engine and sealed answers that no learner can edit, and the two scripts that grade with them."""
    return [
        *learner_side(source),
        filled("classroom50/README.md.j2", "README.md", source),
        filled("classroom50/autograder.py.j2", "autograder.py", source),
        filled("classroom50/autograder.sh.j2", "autograder.sh", source, executable=True),
    ]


def staff_items(source: Source) -> list[Item]:
    """The hidden reference, with a script that grades a folder of collected repositories again."""
    return [
        *staff_side(source),
        filled("classroom50/staff-README.md.j2", "README.md", source),
        filled("classroom50/staff.sh.j2", "grade.sh", source, executable=True),
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
    Kind(
        "classroom50-staff",
        "staff",
        "official grades of the repositories that Classroom 50 collected, with the hidden reference",
        ".zip",
        staff_items,
    ),
)
