"""The bundle `otter`: a master notebook that otter-grader assigns and grades.

Raw cells are otter's marks; each criterion of a step is a test case, so that points in part count. Otter leaves the
cells with `check` out when it grades, and runs all tests after the last cell: one grade serves them all.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import yaml

from grader.core.notebook_hosts import OTTER_CONFIG
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
    raw,
    solved,
)
from .contents import CHECKS
from .engine import WHEEL
from .model import Item, Kind, Source
from .shared import CONSTRAINTS, filled, without_skeletons

if TYPE_CHECKING:
    from grader.judging.pytest_plugin import Verdict

MARKS = ("# BEGIN SOLUTION NO PROMPT", "# END SOLUTION")
ROWS = {
    "show_hidden": True,
    "show_all_public": True,
    "force_public_test_summary": False,
}  # one a step, for all

TEST = '''""" # BEGIN TEST CONFIG
points: {points}
""" # END TEST CONFIG
def test_{name}():
{body}'''
EARNED = """from grader.in_notebook import earned

earned("{step}", "{check}", course=".")"""
COUNTS = f'os.path.isfile("{OTTER_CONFIG.as_posix()}")'


def items(source: Source) -> list[Item]:
    """A folder for `otter assign`: the master notebook, the files it is handed out with, the engine."""
    return [
        notebook(_name(source), cells(source)),
        *without_skeletons(source),
        filled("otter/README.md.j2", "README.md", source),
    ]


def cells(source: Source) -> list[Cell]:
    """The master notebook's cells, in order."""
    work = solved(source, *MARKS)
    made = [_settings(source), brief(source), *_setup(source)]
    criteria = _criteria(source)
    for step in source.lesson.steps:
        made += _question(source, step, [each for each in criteria if each.step == step.id], work[step.id])
    made.append(markdown("end", "That was all. Restart, run all cells, save, and hand in."))
    return [*made, *quiz(source)]


def _name(source: Source) -> str:
    return f"{source.lesson.slug}.ipynb"


def _settings(source: Source) -> Cell:
    settings = {
        "name": source.lesson.slug,
        "init_cell": False,
        "export_cell": {"pdf": False, "run_tests": False},
        "tests": {"ok_format": False},
        "generate": ROWS,
        "files": ["exercises", "engine", CONSTRAINTS],
        "requirements": [f"./files/{WHEEL}"],
    }
    return raw("settings", f"# ASSIGNMENT CONFIG\n{yaml.safe_dump(settings, sort_keys=False)}")


def _setup(source: Source) -> Iterator[Cell]:
    install = f"pip install otter-grader\n    pip install -c {CONSTRAINTS} {WHEEL}"
    yield markdown("setup-title", f"Once, where this notebook lies:\n\n    {install}")
    yield ours("setup", RUN_ONCE, f'import otter\n\ngrader = otter.Notebook("{_name(source)}")')


def _criteria(source: Source) -> list[Verdict]:
    """The lesson's criteria that are worth points: judged without any case, so listed and no more."""
    from grader.judging.judge import judge

    found = judge(source.lesson.folder / CHECKS, {}, [step.id for step in source.lesson.steps])
    return [each for each in found if each.points]


def _question(source: Source, step: Step, criteria: Sequence[Verdict], work: str) -> Iterator[Cell]:
    yield raw(f"{step.id}-begin", f"# BEGIN QUESTION\nname: {step.id}\ncheck_cell: false")
    yield heading(step, round(step.points * source.scale, 4))
    yield raw(f"{step.id}-begin-work", "# BEGIN SOLUTION")
    yield code(f"{step.id}-work", work)
    yield raw(f"{step.id}-end-work", "# END SOLUTION")
    yield ours(f"{step.id}-check", LEAVE, f'grader.check("{step.id}")', tags=["otter_ignore"])
    yield raw(f"{step.id}-begin-tests", "# BEGIN TESTS")
    for number, each in enumerate(criteria, 1):
        points = round(each.points * source.scale, 4)
        body = EARNED.format(step=step.id, check=each.id)
        body = guarded(body, COUNTS) if number == 1 else body  # the first tells of any fault
        text = TEST.format(points=points, name=number, body=textwrap.indent(body, "    "))
        yield code(f"{step.id}-test-{number}", text)
    yield raw(f"{step.id}-end-tests", "# END TESTS")
    yield raw(f"{step.id}-end", "# END QUESTION")


OTTER = Kind("otter", "staff", "master notebook for otter-grader, with solutions", ".zip", items)
