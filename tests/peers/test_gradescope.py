"""The autograder zip where Gradescope runs it: /autograder, root in a container, half a CPU, 700 MB."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from grader.course.bundle.kinds import KINDS
from grader.course.bundle.making import made, source_of
from grader.course.bundle.model import Options
from tests.peers.school import ROOT, SLUG, SOLUTION, STEPS

ENTER = ROOT / "tests" / "hostile" / "enter.py"
SCHEMA = json.loads((ROOT / "tests" / "data" / "schemas" / "gradescope_results.json").read_text("utf-8"))
CGROUPS = Path("/sys/fs/cgroup")
PERIOD, QUOTA, NO_QUOTA = 100_000, 50_000, -1  # microseconds: half a CPU, or all there is
MEMORY = 700_000_000
CAPABILITIES = (
    "chown",
    "dac_override",
    "fowner",
    "fsetid",
    "kill",
    "setgid",
    "setuid",
    "setpcap",
    "sys_chroot",
)
HOSTILE = """
import json, os, pathlib, torch
for place in ("/autograder/source", "/autograder/results", "/autograder/engine"):
    for path in pathlib.Path(place).rglob("*"):
        try:
            text = path.read_bytes()
        except OSError:
            continue
        if b"def attend" in text or b"max_score" in text:
            raise SystemExit(f"READ {path}")
full = {"score": 100, "tests": [{"score": 100, "max_score": 100, "output": "PWNED"}]}
for path in ("/autograder/results/results.json", "results.json", "../results/results.json"):
    try:
        pathlib.Path(path).write_text(json.dumps(full))
    except OSError:
        pass
print("::error ::PWNED")
os.kill(os.getppid(), 9)
"""
pytestmark = pytest.mark.bundles


@dataclass(frozen=True, slots=True)
class Platform:
    """A tree that becomes /autograder, and the control groups that its container is held to, if any."""

    tree: Path
    groups: Sequence[Path]
    graded: dict[str, Mapping[str, Any]] = field(default_factory=dict)

    def results(self, name: str) -> Mapping[str, Any]:
        """What the platform would show for a submission, graded once."""
        if name not in self.graded:
            self.graded[name] = self._run(name)
        return self.graded[name]

    @property
    def limits(self) -> str:
        """What holds the container, in words."""
        return "half a CPU (the solution) and 700 MB" if self.groups else "nothing: no control groups here"

    def _run(self, name: str) -> Mapping[str, Any]:
        for part in ("submission", "results"):
            shutil.rmtree(self.tree / part, ignore_errors=True)
            (self.tree / part).mkdir()
        for file, text in work(name).items():
            (self.tree / "submission" / file).write_text(text, "utf-8")
        for group in self.groups[:1]:  # half a CPU for the time that counts; the others would take minutes
            (group / "cpu.cfs_quota_us").write_text(str(QUOTA if name == "solution" else NO_QUOTA))
        join = "".join(f"echo $$ >{group / 'cgroup.procs'} && " for group in self.groups)
        done = subprocess.run(
            ["sh", "-c", f'{join}exec "$@"', "sh", *self._container()],
            capture_output=True, text=True, check=False, timeout=590,
        )  # fmt: skip
        assert (done.returncode, done.stdout) == (0, ""), done.stderr[-2000:]
        assert "PWNED" not in done.stderr
        found: dict[str, Any] = json.loads((self.tree / "results" / "results.json").read_text("utf-8"))
        sys.stderr.write(f"\n{name}: {found['execution_time']} s, held to {self.limits}\n")
        return found

    def _container(self) -> list[str]:
        """The platform's script in a file system of its own, where nothing of the checkout is but packages."""
        seen = [Path(sys.base_prefix), ROOT / ".venv", Path("/usr"), Path("/etc"), ENTER]
        links = [path for path in map(Path, ("/bin", "/lib", "/lib64", "/sbin")) if path.is_symlink()]
        inside = {
            "PATH": "/usr/bin:/bin", "HOME": "/root", "LANG": "C.UTF-8", "PIP_NO_INDEX": "1",
            "MPLCONFIGDIR": str(ROOT / ".venv" / "share" / "attention-grader" / "mpl"),
        }  # fmt: skip
        asked = {
            "open": [],
            "room": "/tmp",
            "contained": True,
            "uid": None,
            "cwd": "/autograder",
            "env": inside,
        }
        return [
            *("bwrap", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--die-with-parent", "--clearenv"),
            *(word for path in seen for word in ("--ro-bind", str(path), str(path))),
            *(word for path in links for word in ("--symlink", str(path.readlink()), str(path))),
            *("--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--bind", str(self.tree), "/autograder"),
            *(word for name in CAPABILITIES for word in ("--cap-add", f"cap_{name}")),
            *(sys.executable, "-I", str(ENTER), json.dumps(asked), "/autograder/run_autograder"),
        ]


def work(name: str) -> Mapping[str, str]:
    """The files that a learner uploads."""
    files = {f"{step}.py": (SOLUTION / f"{step}.py").read_text("utf-8") for step in STEPS}
    if name == "unscaled":
        assert "(q / math.sqrt(q.shape[-1])) @ k" in files["attend.py"]
        files["attend.py"] = files["attend.py"].replace("(q / math.sqrt(q.shape[-1])) @ k", "q @ k")
    elif name == "hanging":
        files["attend.py"] = "def attend(q, k, v, mask=None):\n    while True:\n        pass\n"
    elif name == "hostile":
        files["attend.py"] = HOSTILE
    return files


@pytest.fixture(scope="module")
def platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    """The bundle unpacked and its engine set up as setup.sh does, but for packages that are here already."""
    if shutil.which("bwrap") is None or os.geteuid() != 0:
        pytest.skip("needs root and bubblewrap, to be root in a container")
    tree = tmp_path_factory.mktemp("gradescope")
    tree.chmod(0o755)
    with zipfile.ZipFile(BytesIO(made(KINDS["gradescope"][0], source_of(SLUG, Options(), ROOT)))) as bundle:
        for info in bundle.infolist():
            place = Path(bundle.extract(info, tree / "source"))
            place.chmod((info.external_attr >> 16) & 0o777)
    shutil.copy2(tree / "source" / "run_autograder", tree / "run_autograder")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tree / "engine")], check=True)
    packages = Path(sysconfig.get_path("purelib", vars={"base": str(tree / "engine")}))
    (packages / "here.pth").write_text(sysconfig.get_path("purelib") + "\n")
    with zipfile.ZipFile(next((tree / "source").glob("engine/*.whl"))) as wheel:
        wheel.extractall(packages)
    groups = _groups()
    try:
        yield Platform(tree, groups)
    finally:
        for group in groups:
            group.rmdir()


def _groups() -> list[Path]:
    """Half a CPU and 700 MB, where this machine's control groups can be had (version 1); else nothing."""
    wanted: Mapping[str, Mapping[str, int]] = {
        "cpu": {"cpu.cfs_period_us": PERIOD},
        "memory": {"memory.limit_in_bytes": MEMORY},
    }
    groups: list[Path] = []
    try:
        for controller, values in wanted.items():
            group = CGROUPS / controller / f"grader-test-{os.getpid()}"
            group.mkdir()
            groups.append(group)
            for name, value in values.items():
                (group / name).write_text(str(value))
    except OSError:
        for group in groups:
            group.rmdir()
        return []
    return groups


def scores(found: Mapping[str, Any]) -> dict[str, float]:
    """Each step's points."""
    return {row["tags"][0]: row["score"] for row in found["tests"]}


HANGING = pytest.param("hanging", marks=pytest.mark.thorough)  # a minute


@pytest.mark.parametrize("name", ["solution", "unscaled", HANGING, "hostile"])
def test_every_result_is_what_the_platform_reads(platform: Platform, name: str) -> None:
    found = platform.results(name)
    jsonschema.validate(found, SCHEMA)
    assert re.search(r"isolation: confined; seed \d+", found["output"])


def test_right_work_has_all_points(platform: Platform) -> None:
    assert scores(platform.results("solution")) == STEPS


def test_a_mistake_costs_its_step_and_is_named(platform: Platform) -> None:
    found = platform.results("unscaled")
    assert scores(found) == {**STEPS, "attend": 0}
    assert "not divided by √d_k" in next(row["output"] for row in found["tests"] if row["tags"] == ["attend"])


@pytest.mark.parametrize("name", [HANGING, "hostile"])
def test_code_that_hangs_or_attacks_costs_its_own_step_and_no_other(platform: Platform, name: str) -> None:
    found = platform.results(name)
    assert scores(found) == {
        **STEPS,
        "attend": 0,
    }  # those that run it are asked with the solution's in its place
    said = json.dumps(found)
    assert "READ" not in said
    assert "PWNED" not in said.replace("::PWNED", "")


def test_the_scripts_can_be_run_and_are_unix_text(platform: Platform) -> None:
    for name in ("setup.sh", "run_autograder"):
        script = platform.tree / "source" / name
        assert os.access(script, os.X_OK)
        assert script.read_bytes().startswith(b"#!/usr/bin/env bash\n")
        assert b"\r" not in script.read_bytes()
