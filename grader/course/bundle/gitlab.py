"""The bundles `gitlab`: projects for GitLab CI, one for learners and one for the staff."""

from __future__ import annotations

from .actions import IGNORED
from .model import Item, Kind, Source
from .shared import filled, staff_side
from .student import items as student_items


def learner_items(source: Source) -> list[Item]:
    """The student bundle, with a pipeline that grades every push against the sealed answers."""
    return [*student_items(source), *_pipeline(source, staff=False)]


def staff_items(source: Source) -> list[Item]:
    """The hidden reference, with a pipeline that fetches a learner's project and grades it."""
    readme = filled("gitlab/staff/README.md.j2", "README.md", source)
    return [*staff_side(source), readme, *_pipeline(source, staff=True)]


def _pipeline(source: Source, *, staff: bool) -> list[Item]:
    return [
        IGNORED,
        filled("gitlab/grade.yml.j2", ".gitlab-ci.yml", source, staff=staff),
        filled("gitlab/grade.sh.j2", ".gitlab/grade.sh", source, executable=True, staff=staff),
    ]


GITLAB = (
    Kind("gitlab", "learner", "project for GitLab CI", ".zip", learner_items),
    Kind("gitlab-staff", "staff", "private project that grades with GitLab CI", ".zip", staff_items),
)
