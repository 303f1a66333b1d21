"""The bundles `actions`: repository templates for GitHub Actions, one for learners and one for the staff."""

from __future__ import annotations

from .model import Item, Kind, Source
from .shared import filled, staff_side
from .student import items as student_items

PINS = {
    "checkout": "11bd71901bbe5b1630ceea73d27597364c9af683 # v4.2.2",
    "python": "a26af69be951a213d495a4c3e4e4022e16d87065 # v5.6.0",
    "artifact": "ea165f8d65b6e75b540449e92b4886f43607fa02 # v4.6.2",
}
IGNORED = Item(".gitignore", b"/.venv/\n/reports/\n/results/\n__pycache__/\n")


def learner_items(source: Source) -> list[Item]:
    """The student bundle, with a workflow that grades every push against the sealed answers."""
    return [
        *student_items(source),
        IGNORED,
        filled("actions/grade.yml.j2", ".github/workflows/grade.yml", source, pins=PINS),
        filled("actions/grade.sh.j2", ".github/grade.sh", source, executable=True),
    ]


def staff_items(source: Source) -> list[Item]:
    """The hidden reference, with a workflow that checks out a learner's code and grades it."""
    return [
        *staff_side(source),
        IGNORED,
        filled("actions/staff/README.md.j2", "README.md", source),
        filled("actions/staff.yml.j2", ".github/workflows/grade.yml", source, pins=PINS),
        filled("actions/staff.sh.j2", ".github/grade.sh", source, executable=True),
    ]


ACTIONS = (
    Kind("actions", "learner", "repository template for GitHub Actions", ".zip", learner_items),
    Kind("actions-staff", "staff", "private repository that grades with GitHub Actions", ".zip", staff_items),
)
