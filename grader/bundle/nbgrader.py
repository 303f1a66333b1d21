"""The bundle `nbgrader`: a source notebook that nbgrader releases, collects and grades.

Cell metadata is nbgrader's schema 3: solution cells keep the skeleton and lose the region below it, test cells
give their points as the last value.
"""

from __future__ import annotations

import json

from grader.lessons import Step

from .cells import Cell, brief, code, heading, markdown, notebook, quiz, skeletons, solutions
from .model import Item, Kind, Source
from .shared import filled, learner_side

SCHEMA = 3


def items(source: Source) -> list[Item]:
    """A course folder: the source notebook, the files it is handed out with, settings, the engine."""
    slug = source.lesson.slug
    text = json.dumps(notebook(cells(source)), indent=1, ensure_ascii=False) + "\n"
    given = learner_side(source)
    public = [item for item in given if item.path.startswith("exercises/")]
    beside = [Item(f"source/{slug}/{item.path}", item.data) for item in public]
    engine = [item for item in given if item not in public]
    return [
        Item(f"source/{slug}/{slug}.ipynb", text.encode()),
        *beside,
        *engine,
        filled("nbgrader/nbgrader_config.py.j2", "nbgrader_config.py", source),
        filled("nbgrader/README.md.j2", "README.md", source),
    ]


def cells(source: Source) -> list[Cell]:
    """The source notebook's cells, in order."""
    given, right = skeletons(source), solutions(source)
    made = [brief(source)]
    for step in source.lesson.steps:
        worth = round(step.points * source.scale, 4)
        made.append(heading(step, worth))
        text = (
            f"{given[step.id].rstrip()}\n\n\n### BEGIN SOLUTION\n{right[step.id].strip()}\n### END SOLUTION"
        )
        made.append(code(f"{step.id}-work", text, nbgrader=_solution(step)))
        check = f'from grader.incell import points\n\npoints("{step.id}", {worth:g})'
        made.append(code(f"{step.id}-check", check, nbgrader=_test(step, worth)))
    made.append(markdown("end", "That was all. Restart, run all cells, save, and hand in."))
    return [*made, *quiz(source)]


def _solution(step: Step) -> dict[str, object]:
    flags = {"grade": False, "solution": True, "locked": False, "task": False}
    return {**flags, "schema_version": SCHEMA, "grade_id": f"{step.id}-work"}


def _test(step: Step, worth: float) -> dict[str, object]:
    flags = {"grade": True, "solution": False, "locked": True, "task": False}
    return {**flags, "schema_version": SCHEMA, "grade_id": f"{step.id}-check", "points": worth}


NBGRADER = Kind("nbgrader", "staff", "course folder for nbgrader, with solutions", ".zip", items)
