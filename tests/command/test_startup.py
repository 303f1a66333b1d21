"""Nothing of the folder the command is started in, of the submission's folder or of the environment reaches it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from grader import startup
from tests.tools.golden_tree import GOLDEN

ROOT = Path(__file__).resolve().parents[2]
RIGHT = GOLDEN / "broken" / "right" / "concat.py"
INSTALLED = Path(sys.executable).parent / "grader"

MODULES = (
    "__future__", "_pytest", "conftest", "einops", "evil", "exercises", "json", "matplotlib", "nbformat",
    "numpy", "pathlib", "pluggy", "pydantic", "pytest", "reference", "rich", "tests", "torch", "typer", "typing",
    "yaml",
)  # fmt: skip
STARTED = (
    "sitecustomize",
    "usercustomize",
)  # Python itself imports these from PYTHONPATH, before any program
# Before the program begins, `python -m` reads some of Python's own modules from the current folder, `grader` among
# them, and PYTHONPATH goes before everything that is installed; the installed command alone looks in neither.
SHADOWS = ("collections", "contextlib", "functools", "grader", "re")
MARK = "import os\nwith open({mark!r}, 'a') as file:\n    file.write('{name}\\n')\n"
CONFTEST = "def pytest_collection_modifyitems(items):\n    items[:] = []\n"
OBSTINATE = "import builtins, sys\nsys.modules['torch'] = None\nbuiltins.sum = None\n"
SETTINGS = {
    "pytest.ini": "[pytest]\naddopts = --collect-only --nonsense\n",
    "tox.ini": "[pytest]\naddopts = --collect-only --nonsense\n",
    "setup.cfg": "[tool:pytest]\naddopts = --collect-only --nonsense\n",
    "pyproject.toml": '[tool.pytest.ini_options]\naddopts = "--collect-only --nonsense"\npythonpath = ["."]\n',
    "matplotlibrc": "backend: nonsense\n",
    "evil-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: evil\nVersion: 1.0\n",
    "evil-1.0.dist-info/entry_points.txt": "[pytest11]\nevil = evil\n",
    "evil.pth": "import evil\n",
}
HOSTILE = {
    "PYTEST_ADDOPTS": "--collect-only --nonsense", "PYTEST_PLUGINS": "evil,torch", "PYTHONBREAKPOINT": "evil.stop",
    "PYTHONDEVMODE": "1", "PYTHONINSPECT": "1", "PYTHONOPTIMIZE": "2", "PYTHONWARNINGS": "error", "PYTHONVERBOSE": "0",
}  # fmt: skip


def poison(folder: Path, mark: Path, *more: str) -> None:
    """Fill a folder with all that Python or pytest might pick up; what is imported leaves its name in the mark."""
    for name in (*MODULES, *STARTED, *more):
        text = MARK.format(mark=str(mark), name=name) + (OBSTINATE if name in STARTED else CONFTEST)
        (folder / f"{name}.py").write_text(
            text + ("" if name in STARTED else "raise SystemExit(9)\n"), "utf-8"
        )
    for name, text in SETTINGS.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, "utf-8")


def graded(command: list[str], submission: Path, here: Path, **more: str) -> dict[str, Any]:
    """The record that the command makes of a submission, started in a folder with these variables too."""
    given = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "PYTEST"))}
    words = [*command, "grade", str(submission), "--seed", "7", "--json", "-"]
    done = subprocess.run(
        words, cwd=here, env={**given, **more}, capture_output=True, text=True, timeout=120, check=False,
        stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    found: dict[str, Any] = json.loads(done.stdout)
    found.pop("seconds")
    return found


def marks(mark: Path) -> set[str]:
    return set(mark.read_text("utf-8").split()) if mark.exists() else set()


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The record of the same work in a folder of its own, graded in peace."""
    folder = tmp_path_factory.mktemp("plain") / "mia"
    folder.mkdir()
    shutil.copy(RIGHT, folder)
    return graded([sys.executable, "-m", "grader"], folder, ROOT)


@pytest.mark.hostile
@pytest.mark.parametrize("how", ["python -m grader", "grader", "grader, PYTHONPATH"])
def test_hostile_files_around_and_variables_change_nothing_of_the_record(
    plain: dict[str, Any], tmp_path: Path, how: str
) -> None:
    mark, here = tmp_path / "mark", tmp_path / "mia"
    here.mkdir()
    shutil.copy(RIGHT, here)
    poison(here, mark, *(SHADOWS if how == "grader" else ()))
    command = [sys.executable, "-m", "grader"] if how.startswith("python") else [str(INSTALLED)]
    more = dict(HOSTILE, PYTHONSTARTUP=str(here / "evil.py"))
    if how.endswith("PYTHONPATH"):
        more["PYTHONPATH"] = os.pathsep.join([str(here), "."])
    found = graded(command, here, here, **more)
    assert found["score"] == plain["score"] == 10
    assert found["steps"] == plain["steps"]
    assert found["environment"] == plain["environment"]
    assert marks(mark) <= (set(STARTED) if how.endswith("PYTHONPATH") else set())


# --- what is left of the environment and of the path ----------------------------------------------


def test_pythons_variables_go_and_those_that_steer_nothing_stay() -> None:
    harmless = {
        "PYTHONUTF8": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHON_VERSION": "3.11",
        "PYTHONISTA": "x",
    }
    kept = {"HOME": "/", "PYTHONUTF8": "1", "PYTHONDONTWRITEBYTECODE": "1", "PYTHON_VERSION": "3.11"}
    assert startup._environment({"HOME": "/", **harmless, **HOSTILE}) == kept | {
        key: value for key, value in HOSTILE.items() if key.startswith("PYTEST")
    }
    assert startup._environment({"PYTHON_PRESITE": "evil", "PYTHONPATH": "/nowhere"}) == {}


def test_the_engines_own_folder_stays_where_pythonpath_names_it(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(startup.HOME)
    for named in (startup.HOME, f"/nowhere{os.pathsep}{startup.HOME}", str(tmp_path / "link")):
        cleaned = startup._environment({"PYTHONPATH": named})
        assert cleaned == {"PYTHONPATH": startup.HOME}
        assert startup._environment(cleaned) == cleaned  # or the command would start itself for ever


def test_the_current_folder_leaves_the_path_unless_the_engine_lies_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for key in [key for key in os.environ if key.startswith("PYTHON")]:
        monkeypatch.delenv(key)
    before = ["/usr/lib/somewhere"]
    for here, first, left in (
        (tmp_path, str(tmp_path), before), (tmp_path, "", before),
        (Path(startup.HOME), startup.HOME, [startup.HOME, *before]),
        (tmp_path, "/elsewhere", ["/elsewhere", *before]),
    ):  # fmt: skip
        monkeypatch.chdir(here)
        monkeypatch.setattr(sys, "path", [first, *before, "relative"])
        startup.stand_alone(module=True)
        assert sys.path == left
    monkeypatch.setattr(sys, "path", [str(tmp_path), *before])
    startup.stand_alone(module=False)
    assert sys.path == [str(tmp_path), *before]
