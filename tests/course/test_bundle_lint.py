"""Bundles before the tools that know their files: the schemas of GitHub and GitLab, actionlint, hadolint, shellcheck.

`make linters` installs the three that carry a program; where one is not there, its tests say so and are skipped.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
import yaml

from grader.course.bundle.archive import packed
from grader.course.bundle.engine import WHEEL
from grader.course.bundle.kinds import KINDS
from grader.course.bundle.model import Item, Options, Parts, Source
from grader.lesson.lesson import find_lesson

ROOT = Path(__file__).resolve().parents[2]
SLUG = "multi_head_attention"
ZIPPED = [kind for sides in KINDS.values() for kind in sides if not kind.single]
DATED = [kind for kind in ZIPPED if kind.name.startswith(("actions", "gitlab", "gradescope", "image"))]
CHOICES = {"plain": Options(), "dated": Options(course="Deep Learning", due="2026-12-01T23:59", points=40)}
PATH = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """What every archive holds, each kind with and without options; engine and answers are not what is looked at."""
    wheel = Item(WHEEL, packed([]))
    parts = Parts(wheel=lambda _: wheel, sealed=lambda: b"sealed answers", secrets=frozenset)
    top = tmp_path_factory.mktemp("bundles")
    found = {}
    for said, options in CHOICES.items():
        source = Source(ROOT, find_lesson(SLUG, ROOT), options, parts)
        for kind in ZIPPED if options == Options() else DATED:
            place = found[f"{kind.name} {said}"] = top / said / kind.name
            for item in kind.make(source):
                (place / item.path).parent.mkdir(parents=True, exist_ok=True)
                (place / item.path).write_bytes(item.data)
    return found


def program(name: str) -> str:
    found = shutil.which(name, path=PATH)
    if found is None:
        pytest.skip(f"{name} is not here; `make linters` installs it")
    return found


def said_by(command: Sequence[str | Path], where: Path) -> str:
    """What a tool has to say; "" when it is content."""
    done = subprocess.run(
        list(map(str, command)),
        cwd=where,
        env={**os.environ, "PATH": PATH},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr
    return "" if done.returncode == 0 else done.stdout + done.stderr or "it failed"


def validated(schema: str, files: Sequence[Path]) -> str:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}", *files]
    return said_by(command, ROOT)


def workflows(places: dict[str, Path]) -> list[Path]:
    return sorted(path for place in places.values() for path in place.glob(".github/workflows/*.yml"))


def scripts(places: dict[str, Path]) -> list[Path]:
    found = (path for place in places.values() for path in place.rglob("*") if path.is_file())
    return sorted(
        path for path in found if path.read_bytes().startswith((b"#!/usr/bin/env bash\n", b"#!/bin/sh\n"))
    )


def test_pipelines_are_what_the_schema_of_gitlab_says(places: dict[str, Path], tmp_path: Path) -> None:
    files = sorted(path for place in places.values() for path in place.glob(".gitlab-ci.yml"))
    assert len(files) == 2 * len(CHOICES)
    assert validated("gitlab-ci", files) == ""
    for path in files:
        made = yaml.safe_load(path.read_text("utf-8"))
        assert (made["grade"]["image"], made["variables"]) == (
            "$PYTHON_IMAGE",
            {"PYTHON_IMAGE": "python:3.12-slim"},
        )
        assert made["grade"].get("rules") == (
            [{"if": "$REPOSITORY"}] if "staff" in path.parent.name else None
        )
    wrong = tmp_path / ".gitlab-ci.yml"
    wrong.write_text(files[0].read_text("utf-8").replace("when: always", "when: allways"), "utf-8")
    assert "allways" in validated("gitlab-ci", [wrong])


def test_workflows_are_what_the_schema_of_github_says(places: dict[str, Path], tmp_path: Path) -> None:
    files = workflows(places)
    assert len(files) == 2 * len(CHOICES)
    assert validated("github-workflows", files) == ""
    wrong = tmp_path / "grade.yml"
    wrong.write_text(
        files[0].read_text("utf-8").replace("timeout-minutes: 20", "timeout-minutes: soon"), "utf-8"
    )
    assert "soon" in validated("github-workflows", [wrong])


@pytest.mark.parametrize(
    ("right", "wrong", "told"),
    [
        ("github.ref }}", "github.reff }}", "reff"),
        ("vars.TORCH_INDEX_URL", "secret.TORCH_INDEX_URL", "secret"),
        ("ubuntu-24.04", "ubuntu-4.04", "ubuntu-4.04"),
        (
            "run: bash .github/grade.sh",
            'run: cd $WORK && ls; echo "${{ github.event.pull_request.title }}"',
            "title",
        ),
    ],
)
def test_actionlint_finds_nothing_and_would(
    places: dict[str, Path], tmp_path: Path, right: str, wrong: str, told: str
) -> None:
    lint = [program("actionlint"), "-no-color", "-shellcheck", shutil.which("shellcheck", path=PATH) or ""]
    files = workflows(places)
    assert said_by([*lint, *files], ROOT) == ""
    text = next(path for path in files if "actions-staff" not in path.parts).read_text("utf-8")
    assert right in text
    broken = tmp_path / "grade.yml"
    broken.write_text(text.replace(right, wrong), "utf-8")
    assert told in said_by([*lint, broken], tmp_path)


def test_hadolint_finds_nothing_and_would(places: dict[str, Path], tmp_path: Path) -> None:
    lint = [program("hadolint"), "--no-color"]
    files = [place / "Containerfile" for name, place in places.items() if name.startswith("image ")]
    assert len(files) == len(CHOICES)
    assert said_by([*lint, *files], tmp_path) == ""
    broken = tmp_path / "Containerfile"
    text = files[0].read_text("utf-8")
    broken.write_text(text.replace("--no-cache-dir ", "").replace(":3.12-slim-bookworm", ":latest"), "utf-8")
    found = said_by([*lint, broken], tmp_path)
    assert "DL3042" in found
    assert "DL3007" in found


OWN_SCRIPTS = (ROOT / ".ci" / "run", ROOT / ".ci" / "setup")


def test_shellcheck_finds_nothing_in_any_script_and_would(places: dict[str, Path], tmp_path: Path) -> None:
    lint = [program("shellcheck"), "--norc", "--color=never", "--severity=style"]
    files = scripts(places)
    names = {path.name for path in files}
    assert names == {"grade.sh", "autograder.sh", "setup.sh", "run_autograder"}
    assert said_by([*lint, *files, *OWN_SCRIPTS], ROOT) == ""
    broken = tmp_path / "grade.sh"
    text = (places["actions-staff plain"] / ".github" / "grade.sh").read_text("utf-8")
    broken.write_text(text.replace('"$results"', "$results"), "utf-8")
    assert "SC2086" in said_by([*lint, broken], tmp_path)


def lines_of_pipelines(places: dict[str, Path]) -> Iterator[tuple[str, str]]:
    for name, place in places.items():
        for path in place.glob(".gitlab-ci.yml"):
            yield name, "\n".join(yaml.safe_load(path.read_text("utf-8"))["grade"]["script"])


def recipes(places: dict[str, Path]) -> Iterator[tuple[str, str]]:
    """Recipes of Makefiles as scripts: what make itself replaces stands for a word."""
    for name, place in places.items():
        for path in [*place.glob("Makefile")]:
            text = re.sub(r'"\$\((\w+)\)"', r'"${\1}"', path.read_text("utf-8"))
            text = re.sub(r"\$\((\w+)\)", r"word_\1", text).replace("$@", "target").replace("$$", "$")
            for part in re.split(r"\n(?!\t)", text):
                _, *lines = part.split("\n")
                yield name, "\n".join(line.removeprefix("\t").removeprefix("@") for line in lines)


def test_shellcheck_finds_nothing_in_pipelines_and_makefiles(places: dict[str, Path], tmp_path: Path) -> None:
    lint = [program("shellcheck"), "--norc", "--color=never", "--severity=style", "--shell=sh"]
    found = [*lines_of_pipelines(places), *recipes(places)]
    assert len(found) > 10
    files = []
    for number, text in enumerate(sorted({text for _, text in found if text.strip()})):
        files.append(tmp_path / f"{number}.sh")
        files[-1].write_text(f"{text}\n", "utf-8")
    assert said_by([*lint, *files], tmp_path) == ""
