"""A job of a GitHub workflow run here, as its runner would: as much of a runner as the workflows of bundles use.

What is `uses:` is played (checkout by git, artifacts by copying), what is `run:` is run as it stands in the YAML,
with files for outputs, environment, path and summary. Unknown actions, keys and expressions are errors.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import yaml

FILES = ("GITHUB_OUTPUT", "GITHUB_ENV", "GITHUB_PATH", "GITHUB_STEP_SUMMARY")
EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")
SECONDS = 120


@dataclass(frozen=True, slots=True)
class Job:
    """What came of a job: its result, what its log says, and the files it leaves."""

    code: int
    log: str
    summary: str
    outputs: Mapping[str, Mapping[str, str]]
    changed: Mapping[str, str]  # what steps wrote for later steps: environment and path
    artifacts: Mapping[str, Path]

    @property
    def commands(self) -> list[str]:
        """The lines of the log that a runner obeys: with :: at their beginning, or with ##[ anywhere."""
        return [line for line in self.log.splitlines() if line.lstrip().startswith("::") or "##[" in line]


@dataclass(frozen=True, slots=True)
class Hosting:
    """What a runner is given: repositories by name, secrets, variables, and what stands in for the step `Install`."""

    repositories: Mapping[str, Path]
    install: Callable[[Path], None]
    secrets: Mapping[str, str] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict)


def run_job(
    hosting: Hosting, repository: str, inputs: Mapping[str, str], place: Path, *, ref: str = "main"
) -> Job:
    """Run the one job of .github/workflows/grade.yml of a repository; its workspace is `place`/workspace."""
    workspace, files = place / "workspace", place / "files"
    files.mkdir(parents=True)
    clone(hosting.repositories[repository], ref, workspace)  # the file is that of the commit which is run
    text = (workspace / ".github" / "workflows" / "grade.yml").read_text("utf-8")
    shutil.rmtree(workspace)
    (job,) = yaml.safe_load(text)["jobs"].values()
    known: dict[str, str] = {
        "github.token": hosting.secrets["GITHUB_TOKEN"],
        "github.ref": f"refs/heads/{ref}",
        **{f"inputs.{name}": value for name, value in inputs.items()},
        **{f"secrets.{name}": value for name, value in hosting.secrets.items()},
        **{f"vars.{name}": value for name, value in hosting.variables.items()},
    }
    outputs: dict[str, Mapping[str, str]] = {}
    artifacts: dict[str, Path] = {}
    log: list[str] = []
    code = 0
    for number, step in enumerate(job["steps"]):
        assert set(step) <= {"name", "id", "if", "uses", "with", "env", "run"}, step
        assert step.get("if") in (None, "always()"), step
        if code and "if" not in step:
            continue
        given = {name: _filled(str(value), known) for name, value in step.get("with", {}).items()}
        if "uses" in step:
            _use(step["uses"], given, hosting, (repository, ref), workspace, place, artifacts)
            continue
        if step.get("name") == "Install":  # of torch, gigabytes of it: the environment of this test has it
            hosting.install(workspace)
            continue
        script = files / f"step-{number}.sh"
        script.write_text(_filled(step["run"], known), "utf-8")
        for name in FILES:
            (files / name).touch()
        here = {name: _filled(str(value), known) for name, value in step.get("env", {}).items()}
        done = subprocess.run(
            ["bash", "-e", str(script)], cwd=workspace, env={**_environment(hosting, workspace, place), **here},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", timeout=SECONDS, check=False,
        )  # fmt: skip
        log.append(done.stdout)
        code = code or done.returncode
        if "id" in step:
            outputs[step["id"]] = dict(
                line.split("=", 1) for line in (files / "GITHUB_OUTPUT").read_text().splitlines()
            )
            known |= {
                f"steps.{step['id']}.outputs.{name}": value for name, value in outputs[step["id"]].items()
            }
            (files / "GITHUB_OUTPUT").write_text("")
    changed = {
        name: (files / name).read_text("utf-8") for name in ("GITHUB_ENV", "GITHUB_PATH", "GITHUB_OUTPUT")
    }
    return Job(
        code, "".join(log), (files / "GITHUB_STEP_SUMMARY").read_text("utf-8"), outputs, changed, artifacts
    )


def clone(repository: Path, ref: str, place: Path) -> None:
    git = ["git", "-c", "core.hooksPath=/dev/null", "clone", "-q", "--depth", "1", "--branch", ref]
    subprocess.run([*git, repository.as_uri(), str(place)], check=True)


def _use(
    action: str,
    given: Mapping[str, str],
    hosting: Hosting,
    own: tuple[str, str],
    workspace: Path,
    place: Path,
    artifacts: dict[str, Path],
) -> None:
    name, _, version = action.partition("@")
    assert re.fullmatch(r"[0-9a-f]{40}", version), f"{action}: not pinned by a commit"
    if name == "actions/checkout":
        assert given["persist-credentials"] == "False"
        repository, ref = given.get("repository", own[0]), given.get("ref", own[1])
        clone(hosting.repositories[repository], ref, workspace / given.get("path", ""))
    elif name == "actions/upload-artifact":
        target = artifacts[given["name"]] = place / "artifacts" / given["name"]
        assert not re.search(r'[":<>|*?\r\n\\/]', given["name"]), given["name"]
        target.mkdir(parents=True)
        for line in given["path"].split():
            _copy(workspace / line, target)
    else:
        assert name == "actions/setup-python", f"{action} is not known here"


def _copy(path: Path, target: Path) -> None:
    if path.is_dir():
        shutil.copytree(path, target, dirs_exist_ok=True)
    elif path.is_file():
        shutil.copy(path, target)


def _filled(text: str, known: Mapping[str, str]) -> str:
    """The text with its expressions worked out: names, and the first of several that is set."""
    return EXPRESSION.sub(lambda match: _worth(match[1], known), text)


def _worth(expression: str, known: Mapping[str, str]) -> str:
    for name in re.split(r"\s*\|\|\s*", expression):
        assert re.fullmatch(r"(github|inputs|secrets|vars|steps)\.[\w.]+", name), expression
        if known.get(name):
            return known[name]
    return ""


def _environment(hosting: Hosting, workspace: Path, place: Path) -> dict[str, str]:
    files = {name: str(place / "files" / name) for name in FILES}
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "OPENBLAS_CORETYPE") if name in os.environ}
    return {
        **kept, **files, "CI": "true", "GITHUB_ACTIONS": "true", "GITHUB_WORKSPACE": str(workspace),
        "HOME": str(place), "RUNNER_TEMP": str(place), "ACTIONS_RUNTIME_TOKEN": hosting.secrets["ACTIONS_RUNTIME_TOKEN"],
        "GITHUB_TOKEN": hosting.secrets["GITHUB_TOKEN"],
    }  # fmt: skip
