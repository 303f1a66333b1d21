"""What is asked of a worker for a submission: which libraries its steps share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from grader.grading.run import LARGE, learner_run
from grader.grading.session import Session
from grader.lesson.lesson import find_lesson
from grader.sandbox.client import Worker, start_jailed, start_open, start_trusted
from grader.submission.reader import read_submission

ROOT = Path(__file__).resolve().parents[2]
PLOT = "import matplotlib.pyplot as plt\n"
STEPS = ("project", "attend", "concat", "output")


def step(name: str) -> str:
    return f"def {name}(*args):\n    raise NotImplementedError\n"


def libraries(path: Path) -> object:
    lesson = find_lesson("multi_head_attention", ROOT)
    return learner_run(lesson, read_submission(path, lesson)).shared["libraries"]


@pytest.mark.parametrize(
    ("head", "found"),
    [
        (PLOT, ["matplotlib.pyplot"]),
        ("from matplotlib import pyplot\n", ["matplotlib.pyplot"]),
        ("try:\n    import einops\nexcept ImportError:\n    einops = None\n", ["einops"]),
        (
            "from einops import rearrange\nfrom matplotlib.figure import Figure\n",
            ["matplotlib.figure", "einops"],
        ),
        ("def draw():\n    import matplotlib.pyplot\n", []),
        ("# import einops\n", []),
        ("import numpy, math\n", []),
    ],
)
def test_one_file_s_libraries_are_shared_by_its_steps(tmp_path: Path, head: str, found: list[str]) -> None:
    assert set(found) <= set(LARGE)
    (tmp_path / "mine.py").write_text(head + "".join(map(step, STEPS)))
    assert libraries(tmp_path / "mine.py") == found


def test_in_a_folder_a_library_is_shared_where_several_steps_import_it(tmp_path: Path) -> None:
    for name in STEPS:
        (tmp_path / f"{name}.py").write_text(step(name))
    (tmp_path / "project.py").write_text(PLOT + step("project"))
    (tmp_path / "attend.py").write_text(PLOT + step("attend"))
    assert libraries(tmp_path) == []
    (tmp_path / "concat.py").write_text("from helpers import *\n" + step("concat"))
    (tmp_path / "helpers.py").write_text(PLOT)
    assert libraries(tmp_path) == ["matplotlib.pyplot"]


def test_a_module_of_that_name_is_the_learner_s_own_and_no_library(tmp_path: Path) -> None:
    for name in STEPS:
        (tmp_path / f"{name}.py").write_text("import einops\n" + step(name))
    assert libraries(tmp_path) == ["einops"]
    (tmp_path / "einops.py").write_text("rearrange = None\n")
    assert libraries(tmp_path) == []


def test_a_file_that_cannot_be_parsed_shares_nothing(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(PLOT + "def project(:\n" + step("attend"))
    assert libraries(tmp_path / "mine.py") == []


@pytest.mark.parametrize(("start", "there"), [(start_jailed, "True"), (start_open, "False")])
def test_after_other_guests_a_library_is_shared_where_they_could_leave_nothing(
    tmp_path: Path, start: Callable[[], Worker], there: str
) -> None:
    asks = "import sys\nprint('matplotlib.pyplot' in sys.modules)\n"
    (tmp_path / "mine.py").write_text(asks + PLOT + "".join(map(step, STEPS)))
    (tmp_path / "alone.py").write_text(asks + step("attend"))
    workers = start(), start_trusted()
    with Session("multi_head_attention", 3, ROOT, workers=workers) as session:
        prints = [
            {found.prints.strip() for found in session.grade(tmp_path / name).steps if found.prints}
            for name in ("alone.py", "mine.py")
        ]
        walled = bool(workers[0].hello.get("landlock"))
    assert prints == [{"False"}, {there if start is start_open or walled else "False"}]


def test_the_first_guest_s_libraries_are_shared_without_a_jail_too(tmp_path: Path) -> None:
    asks = "import sys\nprint('matplotlib.pyplot' in sys.modules)\n"
    (tmp_path / "mine.py").write_text(asks + PLOT + "".join(map(step, STEPS)))
    with Session("multi_head_attention", 3, ROOT, workers=(start_open(), start_trusted())) as session:
        steps = session.grade(tmp_path / "mine.py").steps
    assert {found.prints.strip() for found in steps if found.prints} == {"True"}
