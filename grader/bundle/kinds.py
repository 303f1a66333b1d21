"""Every kind of bundle, by the name that the command takes."""

from __future__ import annotations

from collections.abc import Mapping

from .gradescope import GRADESCOPE
from .model import Kind
from .student import STUDENT

KINDS: Mapping[str, tuple[Kind, ...]] = {
    "student": (STUDENT,),
    "gradescope": (GRADESCOPE,),
}
