"""The bundle `gradescope`: an autograder zip with setup.sh and run_autograder at its root."""

from __future__ import annotations

from .model import Item, Kind, Source
from .shared import filled, staff_side

ISOLATION = "confined"  # the containers of the platform have no namespaces to give


def items(source: Source) -> list[Item]:
    """The staff's side, and the two scripts that the platform runs."""
    scripts = [
        filled(f"gradescope/{name}.j2", name, source, executable=True, isolation=ISOLATION)
        for name in ("setup.sh", "run_autograder")
    ]
    return [*staff_side(source), *scripts, filled("gradescope/README.md.j2", "README.md", source)]


GRADESCOPE = Kind(
    "gradescope", "staff", "autograder zip for Gradescope, with the hidden reference", ".zip", items
)
