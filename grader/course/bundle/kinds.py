"""Every kind of bundle, by the name that the command takes; some have one side for learners, one for the staff."""

from __future__ import annotations

from collections.abc import Mapping

from .actions import ACTIONS
from .classroom50 import CLASSROOM50
from .gitlab import GITLAB
from .gradescope import GRADESCOPE
from .image import IMAGE
from .model import Kind
from .nbgrader import NBGRADER
from .notebook import NOTEBOOK
from .otter import OTTER
from .quizzes import CANVAS, MOODLE
from .student import STUDENT

KINDS: Mapping[str, tuple[Kind, ...]] = {
    "student": (STUDENT,),
    "notebook": (NOTEBOOK,),
    "nbgrader": (NBGRADER,),
    "otter": (OTTER,),
    "gradescope": (GRADESCOPE,),
    "actions": ACTIONS,
    "classroom50": CLASSROOM50,
    "gitlab": GITLAB,
    "moodle": (MOODLE,),
    "canvas": (CANVAS,),
    "image": (IMAGE,),
}
