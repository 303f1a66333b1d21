"""One week of a CI classroom, with real git: a template, six learners who push, the staff's workflow that grades them.

Right, wrong, broken and late work; one learner who edits all that is hers and attacks; one whose exercise is a link
to the solution. The workflows' own steps are run, but for the one that would install torch.
"""

from __future__ import annotations

import csv
import hashlib
import html
import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest
import yaml

from grader.core.records import Record
from grader.course.bundle.contents import leaks, secrets
from grader.course.bundle.model import Item
from tests.tools.golden_tree import GOLDEN
from tests.tools.workflow_runner import Hosting, Job, run_job

ROOT = Path(__file__).resolve().parents[2]
SLUG = "multi_head_attention"
EXERCISE = Path("exercises") / SLUG
STEPS = ("project", "concat", "output")  # those with the fewest known mistakes to try work for
CONCAT = (
    "def concat(heads):\n    b, h, t, d = heads.shape\n    return heads.movedim(1, 2).reshape(b, t, h * d)\n"
)
OUTPUT = """
def output(joined, w_o):
    rows, width = w_o.shape[0], joined.shape[-1]
    if rows != width:
        raise ValueError(f"the heads joined are {width} wide, and w_o has {rows} rows")
    return joined @ w_o
"""
WRONG = """
def project(x, w, n):
    if w.shape[1] % n:
        raise ValueError(f"{n} heads, {w.shape[1]} columns")
    b, t, _ = x.shape
    return (x @ w).view(b, n, t, -1)
"""
DUE, IN_TIME, AFTER = "2026-12-04T23:59+01:00", "2026-12-03T18:00:00+01:00", "2026-12-05T10:29:00+01:00"
TOKENS = {
    "GITHUB_TOKEN": "ghs_of_the_job",
    "ACTIONS_RUNTIME_TOKEN": "eyJ_of_the_runner",
    "LEARNERS_READ_TOKEN": "ghp_reads_all",
}

ATTACK = """
import glob, os
import torch

OPENED, WRITTEN, SEEN = [], [], sorted(name for name in os.environ if "TOKEN" in name or "GITHUB" in name)
for place in ({workspace!r}, os.getcwd(), "..", "../..", "../../..", os.path.dirname(__file__)):
    for name in ("reference/{slug}/solution/attend.py", "reference/{slug}/mistakes.py", "quizzes/{slug}.yaml"):
        try:
            with open(os.path.join(place, name)) as file:
                OPENED.append(file.read())
        except OSError:
            pass
RESULTS = [{workspace!r} + "/results/dia." + ending for ending in ("json", "csv", "txt", "err")]
for place in [*glob.glob({workspace!r} + "/../files/*"), *RESULTS, os.environ.get("GITHUB_OUTPUT", "output")]:
    try:
        with open(place, "a") as file:
            file.write("PWNED=1")
        WRITTEN.append(place)
    except OSError:
        pass
SAID = "::set-output name=score::100\\n##[error]PWNED\\n::error title=PWNED::100\\n::stop-commands::PWNED\\n"
SAID += f"opened {{len(OPENED)}}, written {{len(WRITTEN)}}, seen {{SEEN}}"
print(SAID, *OPENED)


def project(*given):
    print(SAID, *OPENED)
    raise ValueError(SAID + "".join(OPENED)[:300])
"""
CHEATING_SCRIPT = """#!/usr/bin/env bash
mkdir -p reports
echo '{"version": 1, "score": 100, "max_score": 100}' >reports/record.json
echo '## `Attention`: 100 of 100 points' >>"$GITHUB_STEP_SUMMARY"
"""
CHEATING_TESTS = """
import pytest


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    return True


def pytest_sessionfinish(session):
    session.exitstatus = 0
"""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not sys.platform.startswith("linux") or shutil.which("git") is None,
        reason="needs git and the jail of Linux",
    ),
]


@dataclass(frozen=True, slots=True)
class Week:
    """What there is at the end of it."""

    home: Path
    template: Path
    learners: Mapping[str, Path]  # their clones
    hosted: Mapping[str, Path]  # every repository on the server
    practice: Mapping[str, Job]  # the learners' own workflow
    official: Mapping[str, Job]  # the staff's

    def record(self, learner: str) -> Record:
        path = self.official[learner].artifacts[f"results-{learner}"] / f"{learner}.json"
        return Record.model_validate_json(path.read_bytes())

    def row(self, learner: str) -> Mapping[str, str]:
        path = self.official[learner].artifacts[f"results-{learner}"] / f"{learner}.csv"
        (only,) = csv.DictReader(path.read_text("utf-8").splitlines())
        return only


def git(*words: str, where: Path, at: str = IN_TIME) -> str:
    who = {f"GIT_{role}_NAME": "Someone" for role in ("AUTHOR", "COMMITTER")}
    who |= {f"GIT_{role}_EMAIL": "someone@school.example" for role in ("AUTHOR", "COMMITTER")}
    when = {"GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at}
    alone = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    command = ["git", "-c", "init.defaultBranch=main", "-c", "core.autocrlf=false", *words]
    return subprocess.run(
        command,
        cwd=where,
        env={**os.environ, **who, **when, **alone},
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    ).stdout


def push_all(clone: Path, message: str, at: str = IN_TIME) -> None:
    git("add", "--all", "--force", where=clone)
    git("commit", "-q", "-m", message, where=clone, at=at)
    git("push", "-q", "origin", "main", where=clone)


def repository(server: Path, name: str, archive: Path) -> Path:
    """A bundle as a hosted repository: unpacked as `unzip` does, with its bits, and pushed."""
    hosted, clone = server / f"{name}.git", server / f"{name}-first"
    git("init", "-q", "--bare", str(hosted), where=server)
    git("clone", "-q", str(hosted), str(clone), where=server)
    with zipfile.ZipFile(archive) as held:
        for info in held.infolist():
            Path(held.extract(info, clone)).chmod((info.external_attr >> 16) & 0o777)
    git("checkout", "-q", "-B", "main", where=clone)
    push_all(clone, "The assignment")
    return hosted


def install(engines: Path, workspace: Path) -> None:
    """In place of pip: the wheel that the repository carries, unpacked, before the packages of this environment."""
    (wheel,) = workspace.glob("engine/*.whl")
    data = wheel.read_bytes()
    engine = engines / hashlib.sha256(data).hexdigest()
    if not engine.exists():
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(engine)
    python = workspace / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nPYTHONPATH="{engine}" exec "{sys.executable}" "$@"\n')
    python.chmod(0o755)


def right(clone: Path) -> None:
    shutil.copy(GOLDEN / "right" / "modular_absolute" / "project.py", clone / EXERCISE)
    (clone / EXERCISE / "concat.py").write_text(CONCAT)
    (clone / EXERCISE / "output.py").write_text(OUTPUT)


def wrong(clone: Path) -> None:
    (clone / EXERCISE / "project.py").write_text(WRONG)


def broken(clone: Path) -> None:
    (clone / EXERCISE / "project.py").write_text("def project(x, w, num_heads:\n    return x\n")
    (clone / EXERCISE / "concat.py").write_bytes(b"\xff\xfe\x00\x00 not text")
    (clone / EXERCISE / "output.py").write_text(
        "import no_such_package\n\n\ndef output(concatenated, w_o): ...\n"
    )


def hostile(clone: Path, workspace: Path) -> None:
    """One step right; whatever else a repository of one's own lets one edit, edited."""
    home = clone / EXERCISE
    (home / "concat.py").write_text(CONCAT)
    (home / "project.py").write_text(ATTACK.format(workspace=str(workspace), slug=SLUG))
    (home / "::error title=PWNED::.py").write_text("x = (\n")
    lesson = yaml.safe_load((home / "lesson.yaml").read_text("utf-8"))
    lesson["steps"] = [
        {**step, "points": 100.0 if step["id"] == "concat" else 0.0} for step in lesson["steps"]
    ]
    (home / "lesson.yaml").write_text(yaml.safe_dump(lesson))
    (home / "checks.py").write_text("def test_concat_is_right() -> None:\n    pass\n")
    (sealed,) = home.glob("*sealed*")
    sealed.write_bytes(b"all answers are right")
    for place in (clone, home):
        (place / "conftest.py").write_text(CHEATING_TESTS)
        (place / "sitecustomize.py").write_text('print("PWNED")\n')
    (clone / "grader").mkdir()
    (clone / "grader" / "__init__.py").write_text('raise SystemExit("PWNED")\n')
    (clone / "Makefile").write_text('grade:\n\t@echo "100 of 100 points"\n')
    (clone / ".github" / "grade.sh").write_text(CHEATING_SCRIPT)
    workflow = clone / ".github" / "workflows" / "grade.yml"
    workflow.write_text(workflow.read_text("utf-8").replace("timeout-minutes: 20", "timeout-minutes: 300"))
    (clone / "results").mkdir()
    (clone / "results" / "dia.json").write_text('{"version": 1, "score": 100, "max_score": 100}\n')


def late(clone: Path) -> None:
    (clone / EXERCISE / "concat.py").write_text(CONCAT)


def linked(clone: Path) -> None:
    """The exercise as a link to where the solution lies beside a learner's checkout."""
    shutil.rmtree(clone / EXERCISE)
    (clone / EXERCISE).symlink_to(f"../../reference/{SLUG}/solution")


@pytest.fixture(scope="module")
def week(tmp_path_factory: pytest.TempPathFactory) -> Week:
    home = tmp_path_factory.mktemp("week")
    server, engines = home / "server", home / "engines"
    server.mkdir()
    make = [sys.executable, "-m", "grader", "bundle", "actions", "--out", str(home / "mha.zip"), "--due", DUE]
    subprocess.run([*make, "--steps", ",".join(STEPS)], cwd=ROOT, check=True, capture_output=True)
    template = repository(server, "template", home / "mha.zip")
    hosted = {
        "course/template": template,
        "course/staff": repository(server, "staff", home / "mha-staff.zip"),
    }
    attack = partial(hostile, workspace=home / "official" / "dia" / "workspace")
    works = {"ana": right, "ben": wrong, "cem": broken, "dia": attack, "eli": late, "fay": linked}
    learners = {}
    for name, work in works.items():
        bare = hosted[f"course/{name}"] = server / f"{name}.git"
        git("clone", "-q", "--bare", str(template), str(bare), where=server)
        clone = learners[name] = home / "learners" / name
        git("clone", "-q", str(bare), str(clone), where=home)
        work(clone)
        push_all(clone, "My work", AFTER if name == "eli" else IN_TIME)
    hosting = Hosting(hosted, partial(install, engines), TOKENS)
    practice = {
        name: run_job(hosting, f"course/{name}", {}, home / "practice" / name) for name in ("ben", "dia")
    }
    official = {
        name: run_job(
            hosting,
            "course/staff",
            {"repository": f"course/{name}", "ref": "main", "learner": name},
            home / "official" / name,
        )
        for name in works
    }
    return Week(home, template, learners, hosted, practice, official)


# --- the grades ------------------------------------------------------------------------------------


def test_each_has_the_grade_of_the_work_and_a_row(week: Week) -> None:
    rows = {name: week.row(name) for name in week.learners}
    assert {name: row["learner"] for name, row in rows.items()} == {name: name for name in rows}
    points = {name: float(row["points"]) for name, row in rows.items()}
    assert (points["ana"], points["cem"], points["dia"], points["eli"], points["fay"]) == (30, 0, 10, 10, 0)
    assert points["ben"] == 0
    assert {name: job.code for name, job in week.official.items()} == {
        "ana": 0, "ben": 0, "cem": 0, "dia": 0, "eli": 0, "fay": 2,
    }  # fmt: skip
    for name, row in rows.items():
        assert row["commit"] == git("rev-parse", "HEAD", where=week.learners[name]).strip()
        if name != "fay":
            assert week.record(name).score == points[name]
            assert week.record(name).environment["isolation"] in ("sealed", "confined")
            assert (row["of"], row["problem"]) == ("30", "")


def test_the_summary_names_the_mistake_and_an_annotation_shows_the_line(week: Week) -> None:
    for job in (week.practice["ben"], week.official["ben"]):
        assert "## `Multi-head attention`: " in job.summary
        assert "The split scrambles tokens and features" in job.summary
        assert job.summary.startswith("# `ben`\n\n") == (job is week.official["ben"])
        (line,) = job.commands
        assert line.startswith("::error file=")
        assert ",line=" in line
    assert f"file={EXERCISE}/project.py," in week.practice["ben"].commands[0]


def test_broken_files_cost_their_own_steps_and_say_why(week: Week) -> None:
    steps = {step.id: step for step in week.record("cem").steps}
    assert {steps[name].status for name in STEPS} == {"failed"}
    assert "line 1" in steps["project"].note
    assert "no_such_package" in steps["output"].note


def test_late_work_is_marked_and_loses_nothing(week: Week) -> None:
    said = "late by 10 h 30 min: committed 2026-12-05 09:29 UTC, due 2026-12-04 22:59 UTC"
    assert week.row("eli")["minutes_late"] == "630"
    assert f"`{said}`" in week.official["eli"].summary
    assert f"eli: {said}\n" in week.official["eli"].log
    assert f"::warning title=Late::{said}" in week.official["eli"].commands
    for name in ("ana", "ben", "cem", "dia", "fay"):
        assert week.row(name)["minutes_late"] == "0"
        assert "late by" not in week.official[name].summary + week.official[name].log


# --- who edits, attacks or follows a link ------------------------------------------------------------


def test_edits_change_the_editors_own_practice_and_nothing_official(week: Week) -> None:
    assert "100 of 100 points" in week.practice["dia"].summary
    assert week.record("dia").score == week.record("eli").score == 10
    assert {step.id: step.score for step in week.record("dia").steps if step.score} == {"concat": 10}
    assert {step.max_score for step in week.record("dia").steps} == {
        step.max_score for step in week.record("eli").steps
    }
    assert "10 of 30 points" in week.official["dia"].summary


def test_the_attack_ran_and_reached_nothing(week: Week) -> None:
    step = next(step for step in week.record("dia").steps if step.id == "project")
    assert "opened 0, written 0, seen []" in step.model_dump_json()
    assert week.official["dia"].changed == {"GITHUB_ENV": "", "GITHUB_PATH": "", "GITHUB_OUTPUT": ""}
    assert set(week.official["dia"].outputs["work"]) == {"name", "commit"}


def test_what_learners_print_is_never_obeyed(week: Week) -> None:
    (line,) = week.official["dia"].commands
    assert line.startswith("::error file=project.py,")
    assert "PWNED" not in line.split("::")[1]
    for job in week.official.values():
        assert all(line.startswith(("::error ", "::warning ")) for line in job.commands), job.commands


def test_a_link_to_the_solution_is_not_entered(week: Week) -> None:
    there = week.home / "official" / "fay" / "workspace"
    assert (
        there / "work" / EXERCISE / "attend.py"
    ).is_file()  # the link leads to the solution, and is not broken
    assert "nothing of the lesson in it" in week.row("fay")["problem"]
    assert "nothing could be graded" in week.official["fay"].summary
    assert not (week.official["fay"].artifacts["results-fay"] / "fay.json").exists()


# --- nothing hidden ----------------------------------------------------------------------------------


def blobs(repository: Path) -> Iterator[Item]:
    """Every file of every commit of a repository, by one of its paths."""
    listed = git("rev-list", "--all", "--objects", where=repository).splitlines()
    paths = {name: path for name, _, path in (line.partition(" ") for line in listed)}
    command = ["git", "cat-file", "--batch"]
    names = "".join(f"{name}\n" for name in paths).encode()
    told = subprocess.run(command, cwd=repository, check=True, capture_output=True, input=names).stdout
    at = 0
    while at < len(told):
        end = told.index(b"\n", at)
        name, kind, size = told[at:end].decode().split()
        data = told[end + 1 : end + 1 + int(size)]
        at = end + 2 + int(size)
        if kind == "blob":
            yield Item(paths[name], data)


def shown(week: Week) -> Iterator[tuple[str, str]]:
    """Every log, summary and artifact, of practice and of the grades that are handed back, as text."""
    for whose, jobs in (("practice", week.practice), ("official", week.official)):
        for name, job in jobs.items():
            yield f"{whose} {name} log", job.log
            yield f"{whose} {name} summary", job.summary
            for folder in job.artifacts.values():
                for path in sorted(path for path in folder.rglob("*") if path.is_file()):
                    yield f"{whose} {name} {path.name}", readable(path.name, path.read_text("utf-8"))


def readable(name: str, text: str) -> str:
    """The text with what its format escapes written plainly."""
    if name.endswith(".json"):
        return "\n".join(strings(json.loads(text)))
    return html.unescape(text) if name.endswith(".xml") else text


def strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)


def found_in(text: str, kept: frozenset[str]) -> list[str]:
    """Hidden lines that stand anywhere in a text, within a line too."""
    flat = " ".join(text.split())
    return [line for line in kept if line in flat]


@pytest.fixture(scope="module")
def code(week: Week) -> frozenset[str]:
    """Hidden lines of code; what mistakes say is written to be shown. A line that a learner wrote alone is hers."""
    hidden = secrets(ROOT, SLUG)
    files = [path for path in (ROOT / "reference" / SLUG).rglob("*.py") if path.name != "mistakes.py"]
    lines = {" ".join(line.split()) for path in files for line in path.read_text("utf-8").splitlines()}
    own = [path for name in week.learners for path in (week.learners[name] / "exercises").rglob("*.py")]
    theirs = {
        " ".join(line.split()) for path in own for line in path.read_text("utf-8", "replace").splitlines()
    }
    return frozenset((hidden & lines) - theirs)


def test_no_repository_of_a_learner_holds_a_hidden_line_or_a_token(week: Week) -> None:
    hidden = secrets(ROOT, SLUG)
    seen: set[bytes] = set()
    for name in ("template", *week.learners):
        held = list(blobs(week.hosted[f"course/{name}"]))
        assert {"exercises/multi_head_attention/project.py", "README.md"} <= {item.path for item in held}
        fresh = [item for item in held if item.data not in seen]
        seen |= {item.data for item in fresh}
        assert leaks(fresh, hidden) == [], name
        assert not [item.path for item in fresh for token in TOKENS.values() if token.encode() in item.data]
    assert leaks(blobs(week.hosted["course/staff"]), hidden)  # the search finds what is there to be found


def test_no_log_summary_or_artifact_holds_a_hidden_line_or_a_token(week: Week, code: frozenset[str]) -> None:
    assert len(code) > 300
    texts = dict(shown(week))
    assert {f"official ana ana.{ending}" for ending in ("json", "xml", "txt", "csv")} <= set(texts)
    assert "practice ben record.json" in texts
    given_away = {where: found_in(text, code) for where, text in texts.items()}
    assert {where: lines for where, lines in given_away.items() if lines} == {}
    assert [where for where, text in texts.items() for token in TOKENS.values() if token in text] == []
    line = max(code, key=len)
    assert found_in(texts["official dia log"] + f"\n| {line} |", code) == [line]  # and would be found


def test_what_the_staff_keeps_is_in_no_learners_reach(week: Week) -> None:
    """The workflow asks for no more than reading, and keeps no credentials where a learner's code is.

    Its runs can be told from each other, and a push of this repository grades nobody.
    """
    for path in week.home.glob("official/*/workspace/.github/workflows/grade.yml"):
        workflow = yaml.safe_load(path.read_text("utf-8"))
        assert workflow["permissions"] == {"contents": "read"}
        assert "inputs.learner" in workflow["run-name"]
        assert set(workflow[True]) == {"workflow_dispatch", "workflow_call"}  # YAML 1.1 reads `on` so
    for path in week.home.glob("practice/*/workspace/.github/workflows/grade.yml"):
        assert set(yaml.safe_load(path.read_text("utf-8"))[True]) == {"push", "workflow_dispatch"}
    for name in week.official:
        config = (week.home / "official" / name / "workspace" / "work" / ".git" / "config").read_text("utf-8")
        assert not [token for token in TOKENS.values() if token in config]
