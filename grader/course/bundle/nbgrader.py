"""The bundle `nbgrader`: a source notebook that nbgrader releases, collects and grades.

Cell metadata is nbgrader's schema 3: solution cells keep the skeleton and lose the region below it, test cells
give their points as the last value. These stand together at the end, where one grade serves them all.
"""

from __future__ import annotations

from grader.core.notebook_hosts import AUTOGRADE, GRADING
from grader.lesson.lesson import Step

from .cells import (
    LEAVE,
    RUN_ONCE,
    Cell,
    brief,
    code,
    guarded,
    heading,
    markdown,
    notebook,
    ours,
    quiz,
    solved,
)
from .model import Item, Kind, Source
from .shared import filled, without_skeletons

SCHEMA = 3
MARKS = ("### BEGIN SOLUTION", "### END SOLUTION")
COUNTS = f'os.environ.get("{GRADING}") == "{AUTOGRADE}"'


def items(source: Source) -> list[Item]:
    """A course folder: the source notebook, the files it is handed out with, settings, the engine."""
    slug = source.lesson.slug
    given = without_skeletons(source)
    public = [item for item in given if item.path.startswith("exercises/")]
    beside = [Item(f"source/{slug}/{item.path}", item.data) for item in public]
    engine = [item for item in given if item not in public]
    return [
        notebook(f"source/{slug}/{slug}.ipynb", cells(source)),
        *beside,
        *engine,
        filled("nbgrader/nbgrader_config.py.j2", "nbgrader_config.py", source),
        filled("nbgrader/README.md.j2", "README.md", source),
    ]


def cells(source: Source) -> list[Cell]:
    """The source notebook's cells, in order."""
    work = solved(source, *MARKS)
    made = [brief(source), _setup()]
    for step in source.lesson.steps:
        made.append(heading(step, _worth(source, step)))
        made.append(code(f"{step.id}-work", work[step.id], nbgrader=_solution(step)))
        made.append(
            ours(
                f"{step.id}-try",
                LEAVE,
                f'from grader.in_notebook import check\n\ncheck("{step.id}", course=".")',
            )
        )
    made.append(markdown("points", "## Points\n\nOne cell a step: what it earns, and what to mend."))
    for step in source.lesson.steps:
        worth = _worth(source, step)
        body = f'from grader.in_notebook import points\n\nworth = points("{step.id}", {worth:g}, course=".")'
        test = f"{guarded(body, COUNTS)}\nworth"
        made.append(ours(f"{step.id}-check", LEAVE, test, nbgrader=_test(step, worth)))
    made.append(markdown("end", "That was all. Restart, run all cells, save, and hand in."))
    return [*made, *quiz(source)]


def _worth(source: Source, step: Step) -> float:
    return round(step.points * source.scale, 4)


def _setup() -> Cell:
    """The first cell: where the kernel has no engine, an autograde fails here, and a learner is told."""
    flags = {"grade": False, "solution": False, "locked": True, "task": False}
    body = 'from grader.in_notebook import check\n\nprint("ready: the grader is here")'
    return ours(
        "setup",
        RUN_ONCE,
        guarded(body, COUNTS),
        nbgrader={**flags, "schema_version": SCHEMA, "grade_id": "setup"},
    )


def _solution(step: Step) -> dict[str, object]:
    flags = {"grade": False, "solution": True, "locked": False, "task": False}
    return {**flags, "schema_version": SCHEMA, "grade_id": f"{step.id}-work"}


def _test(step: Step, worth: float) -> dict[str, object]:
    flags = {"grade": True, "solution": False, "locked": True, "task": False}
    return {**flags, "schema_version": SCHEMA, "grade_id": f"{step.id}-check", "points": worth}


NBGRADER = Kind("nbgrader", "staff", "course folder for nbgrader, with solutions", ".zip", items)
