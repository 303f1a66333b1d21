"""The engine installed as a wheel, as bundles install it: it lies among the libraries that a guest may read."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from io import BytesIO
from pathlib import Path

import pytest

from grader.course.bundle.engine import engine_wheel
from grader.sandbox.mounts import ENGINE, engine_among, readable_paths, visible_paths
from grader.worker import landlock, seccomp

ROOT = Path(__file__).resolve().parents[2]
SPY = """
try:
    with open({place!r}) as file:
        word = "READ" + file.read(1)
except OSError as error:
    word = type(error).__name__

def concat(heads):
    raise ValueError("it said " + word)
"""
pytestmark = pytest.mark.skipif(
    not (landlock.version() and seccomp.works()), reason="needs Landlock and seccomp, which this kernel does not have"
)  # fmt: skip


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site-packages of a fresh environment with the wheel in it; all it needs is found where we find it."""
    place = tmp_path_factory.mktemp("installed") / "venv"
    for folder in (place.parent, *place.parent.parents[:2]):
        folder.chmod(0o755)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(place)], check=True)
    found = Path(sysconfig.get_path("purelib", vars={"base": str(place)}))
    (found / "here.pth").write_text(sysconfig.get_path("purelib") + "\n")
    with zipfile.ZipFile(BytesIO(engine_wheel(ROOT, "staff").data)) as wheel:
        wheel.extractall(found)
    return found


def grade(packages: Path, folder: Path, *, bubblewrap: bool) -> dict[str, object]:
    """The record of a spy, by the installed engine."""
    tools = folder / "bin"
    tools.mkdir()
    if bubblewrap:
        found = shutil.which("bwrap")
        if found is None:
            pytest.skip("needs bubblewrap, which is not installed here")
        (tools / "bwrap").symlink_to(found)
    spy = folder / "concat.py"
    spy.write_text(SPY.format(place=str(packages / "grader" / "startup.py")), "utf-8")
    program = packages.parent.parent.parent / "bin" / "python"
    done = subprocess.run(
        [str(program), "-m", "grader", "grade", str(spy), "--seed", "3", "--json", "-", "--course", str(ROOT)],
        cwd=folder, env={**os.environ, "PATH": str(tools)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    made: dict[str, object] = json.loads(done.stdout)
    return made


@pytest.mark.parametrize(("bubblewrap", "level"), [(False, "confined"), (True, "sealed")])
def test_an_installed_engine_confines_as_well_and_is_not_to_be_read(
    packages: Path, tmp_path: Path, bubblewrap: bool, level: str
) -> None:
    record = grade(packages, tmp_path, bubblewrap=bubblewrap)
    environment = record["environment"]
    assert isinstance(environment, dict)
    assert environment["isolation"] == level, environment
    said = json.dumps(record)
    assert "it said PermissionError" in said or "it said FileNotFoundError" in said
    assert "READ" not in said


@pytest.mark.parametrize("bubblewrap", [False, True])
@pytest.mark.parametrize(
    "options", [(), ("--require-isolation", "confined"), ("--require-isolation", "sealed")]
)
def test_a_learner_s_folder_is_never_the_course_and_nothing_of_it_runs(
    packages: Path, tmp_path: Path, options: tuple[str, ...], bubblewrap: bool
) -> None:
    (work,) = ROOT.glob("exercises/multi_head_attention")
    shutil.copytree(work, tmp_path / "theirs" / "exercises" / work.name)
    mark = tmp_path / "ran"
    for name in ("checks.py", "conftest.py", "concat.py"):
        with (tmp_path / "theirs" / "exercises" / work.name / name).open("a", encoding="utf-8") as file:
            file.write(f"\nopen({str(mark)!r}, 'w').close()\n")
    program = packages.parent.parent.parent / "bin" / "python"
    path = os.environ["PATH"] if bubblewrap else ""
    for here, given, said in [
        (
            tmp_path / "theirs",
            f"exercises/{work.name}",
            "say where the course is: --course DIR, or GRADER_COURSE;",
        ),
        (tmp_path / "theirs" / "exercises" / work.name, ".", "say where the course is: --course DIR"),
        (tmp_path / "theirs", ".", "say where the course is: --course DIR"),
    ]:
        done = subprocess.run(
            [str(program), "-m", "grader", "grade", given, *options],
            cwd=here, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith(f"grader: {said}")
        assert done.stderr.count("\n") == 1
    for course in (tmp_path / "theirs", Path(work.name)):
        done = subprocess.run(
            [str(program), "-m", "grader", "grade", ".", *options, "--course", str(course)],
            cwd=tmp_path / "theirs", env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert (done.returncode, done.stdout) == (2, "")
    assert not mark.exists()


def test_libraries_around_the_grader_are_listed_and_given_one_by_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = tmp_path / "lib" / "site-packages"
    for name in ("numpy", "grader", "torch"):
        (site / name).mkdir(parents=True)
    monkeypatch.setattr("grader.sandbox.mounts.ENGINE", site / "grader")
    monkeypatch.setattr("grader.sandbox.mounts.visible_paths", lambda: [tmp_path / "lib", Path("/usr/lib")])
    whole, listed = readable_paths()
    assert sorted(whole) == sorted([site / "numpy", site / "torch", Path("/usr/lib")])
    assert listed == [tmp_path / "lib", site]


def test_here_the_grader_lies_apart_and_nothing_is_listed() -> None:
    assert not engine_among(visible_paths())
    assert readable_paths() == (visible_paths(), [])
    assert ENGINE.name == "grader"
