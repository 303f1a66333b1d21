"""CONTRIBUTING.md and docs/ are followed to the letter: files are there, commands run, tables are those of the code."""

from __future__ import annotations

import functools
import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from pydantic import BaseModel

from grader import cli
from grader.core import errors, records
from grader.course.bundle.kinds import KINDS
from grader.grading.pipeline import environment_of
from tests.test_house import MAY_USE, TOP_LEVEL
from tests.tools.changed import to_run
from tests.tools.lessons_here import ROOT, SLUG
from tests.tools.small_lesson import SLUG as SMALL
from tests.tools.small_lesson import lay_out

CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
RECORD = (ROOT / "docs" / "record.md").read_text("utf-8")
ROAD = (ROOT / "docs" / "road.md").read_text("utf-8")
README = (ROOT / "README.md").read_text("utf-8")
MODELS = (
    records.Record, records.SubmissionRecord, records.StepRecord, records.CheckRecord, records.MistakeRecord,
)  # fmt: skip


def section(text: str, title: str) -> str:
    """The part of a page below this heading."""
    return text.split(f"\n## {title}\n", 1)[1].split("\n## ", 1)[0]


def rows(text: str) -> list[tuple[str, ...]]:
    """The rows of the one table in a part of a page, without its head."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [tuple(cell.strip() for cell in line.strip("|").split(" | ")) for line in lines[2:]]


def named(cell: str) -> list[str]:
    """What stands in a cell as code."""
    return re.findall(r"`([^`]+)`", cell)


JOURNEYS = {
    wanted: (named(files), named(check))
    for wanted, files, check in rows(section(CONTRIBUTING, "I want to …"))
}


# --- what is named is there --------------------------------------------------------------------------


@pytest.mark.parametrize("wanted", JOURNEYS)
def test_every_file_of_a_journey_is_there(wanted: str) -> None:
    places: list[str] = []
    for name in JOURNEYS[wanted][0]:
        if name.split("/")[0] in TOP_LEVEL:
            places.append(name.replace("<slug>", SLUG))
            assert list(ROOT.glob(places[-1])), name
        elif "." in name or "/" in name:  # of a folder that was named before
            assert any((ROOT / place / name).exists() for place in places), name
    assert places


def commands_of(text: str) -> list[str]:
    """The commands that a page tells to run: in a line of prose, or on a line of their own."""
    return re.findall(r"(?:`|^    )((?:make|\.venv/bin/\w+) [^`#\n]*[^`#\s])", text, re.MULTILINE)


def targets_of(makefile: str) -> list[str]:
    """The targets that a Makefile explains."""
    return re.findall(r"^([a-z-]+):.*## ", (ROOT / makefile).read_text("utf-8"), re.MULTILINE)


@functools.cache
def help_of(*words: str) -> str:
    """What a command says of its options."""
    done = run([".venv/bin/grader", *words, "--help"])
    assert done.returncode == 0, done.stderr
    return done.stdout


PAGES = {"CONTRIBUTING.md": CONTRIBUTING, "README.md": README}


@pytest.mark.parametrize("page", PAGES)
def test_every_command_that_is_told_is_there(page: str) -> None:
    commands = commands_of(PAGES[page])
    assert len(commands) > 8
    targets = {*targets_of("Makefile"), *targets_of("templates/bundle/student/Makefile.j2")}
    for command in commands:
        program, *words = re.sub(r'"[^"]*"|<[^>]*>', "", command).split()
        if program == "make":
            assert {word for word in words if "=" not in word} <= targets, command
        elif program.endswith("/grader"):
            told = help_of(*(words[:2] if words[0] == "quiz" else words[:1]))
            assert [word for word in words if word.startswith("--") and word not in told] == [], command
        else:
            assert words[:2] == ["-m", "pytest"], command
            assert (ROOT / words[2]).exists(), command


def test_the_rooms_are_those_that_the_rules_of_the_house_name() -> None:
    told = {named(room)[0]: named(uses) for room, _, uses in rows(section(CONTRIBUTING, "The rooms"))}
    assert told == {room: uses.split() for room, uses in MAY_USE.items()}


def test_every_target_that_is_explained_is_in_the_readme() -> None:
    assert [name for name in targets_of("Makefile") if f"make {name}" not in README and name != "clean"] == []


def test_the_hooks_for_other_repositories_and_for_this_one_run_what_there_is() -> None:
    theirs = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    assert [hook["id"] for hook in theirs] == ["grader-audit", "grader-quiz-check"]
    assert all(f"id: {hook['id']}" in CONTRIBUTING for hook in theirs)
    (ours,) = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text("utf-8"))["repos"]
    assert ours["repo"] == "local"  # nothing is fetched
    tools = {"ruff", "mypy"}
    for hook in ours["hooks"]:
        words = hook["entry"].split()
        assert words == ["make", "check"] or (words[:2] == [".venv/bin/python", "-m"] and words[2] in tools)


# --- five journeys and two hooks, made ---------------------------------------------------------------

ADD = "def add(a, b, scale=1.0):\n    return a {} scale * b\n"
NEW_PROBE = """
found = probes


def probes(seed: int) -> list[Probe]:
    draw = Draw(seed, "add", "scaled")
    scaled = Probe(
        id="add/scaled", step="add", tags=frozenset({"values"}), say="3 numbers, scale 2",
        tensors={"a": draw.normal(3), "b": draw.normal(3)}, script=(call("add", "a", "b", 2.0, to="y"),), report=("y",),
    )
    return [*found(seed), scaled]
"""
NEW_MISTAKE = (
    "- {id: unscaled, home: add, title: Not scaled, message: You leave out scale., hint: [a, b, c]}\n"
)
NEW_OVERLAY = """
def overlay(ids):
    factor = (-1 if "minus" in ids else 1) * (2 if "twice" in ids else 1)
    power = 0 if "unscaled" in ids else 1
    return {"add": {"add": lambda a, b, scale=1.0: a + factor * scale**power * b}}
"""
NEW_QUESTION = """
  - id: other-sum
    kind: true_false
    objective: sum
    difficulty: easy
    prompt: Is two and two five?
    explanation: It is four.
    answer: false
    feedback: {true: "Count again.", false: "Yes."}
"""
NEW_RIGHT = "lesson: tiny\nsubmissions:\n- path: swapped.py\n  steps: [add]\n"


def run(words: list[str], course: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """A command as a page gives it, with the programs of this environment."""
    programs = {".venv/bin/grader": [sys.executable, "-m", "grader"], ".venv/bin/python": [sys.executable]}
    command = [*programs[words[0]], *words[1:]]
    env = {**os.environ, "GRADER_COURSE": str(course), "COLUMNS": "200"}
    return subprocess.run(
        command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=170, check=False
    )


def follow(wanted: str, number: int, course: Path, **given: object) -> subprocess.CompletedProcess[str]:
    """The command of a journey, with what its names stand for."""
    command = JOURNEYS[wanted][1][number].replace("<slug>", SMALL)
    return run([str(given.get(word, word)) for word in command.split()], course)


def add_to(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(text)


def test_a_lesson_is_added_its_hole_is_seen_and_closed_and_it_is_proved(tmp_path: Path) -> None:
    course = lay_out(tmp_path / "course")
    hidden, page = course / "reference" / SMALL, tmp_path / "audit.html"
    seen = follow("see why a mutant survives", 0, course, **{"audit.html": page})
    assert seen.returncode == 1, seen.stderr
    assert "+ return a + b\n" in seen.stdout  # nobody asks with a scale
    shown, survivors = page.read_text("utf-8"), re.findall(r"\badd/[0-9a-f]{10}\b", seen.stdout)
    assert survivors
    assert [name for name in survivors if f"{name}</span><br>" not in shown] == []

    add_to(hidden / "probes" / "__init__.py", NEW_PROBE)
    add_to(hidden / "mistakes.yaml", NEW_MISTAKE)
    (hidden / "mistakes.py").write_text(NEW_OVERLAY, "utf-8")
    add_to(course / "quizzes" / f"{SMALL}.yaml", NEW_QUESTION)
    golden = course / "tests" / "data" / "golden" / "right"
    add_to(golden / "swapped.py", "def add(x, y, scale=1):\n    return y * scale + x\n")
    add_to(golden / "index.yaml", NEW_RIGHT)
    again = follow("add a probe (an input that is asked)", 0, course)
    assert "+ return a + b\n" not in again.stdout
    assert "called by its name (3)" in again.stdout
    survivors = re.findall(r"(add/[0-9a-f]{10})\n *- (.*)\n *\+ (.*)\n", again.stdout)
    assert survivors, again.stdout
    reason = "no input of this lesson is asked for again, has a gradient, or comes with its scale before it"
    mutants = [{"id": name, "was": was.strip(), "now": now.strip()} for name, was, now in survivors]
    (hidden / "equivalent_mutants.yaml").write_text(
        yaml.safe_dump([{"reason": reason, "mutants": mutants}]), "utf-8"
    )

    assert JOURNEYS["add a known mistake"][1] == JOURNEYS["add a lesson"][1][:1]
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    for number, words in enumerate(["tiny is proved", ": 2 questions, "]):
        done = follow("add a lesson", number, course)
        assert (done.returncode, words in done.stdout) == (0, True), done.stdout + done.stderr
        entry = hooks[number]["entry"].split()
        assert [".venv/bin/grader", *entry[1:]][:2] == JOURNEYS["add a lesson"][1][number].split()[:2]
        assert entry[entry.index("--course") + 1] == "."
    assert JOURNEYS["add a question"][1][0] == JOURNEYS["add a lesson"][1][1]


@pytest.mark.parametrize(
    ("hook", "code", "words"),
    [("grader-audit", 1, "tiny is not proved"), ("grader-quiz-check", 0, ": 1 question, ")],
)
def test_a_hook_proves_the_lessons_of_the_repository_it_runs_in(
    tmp_path: Path, hook: str, code: int, words: str
) -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    (entry,) = [each["entry"].split() for each in hooks if each["id"] == hook]
    command = [sys.executable, "-m", *entry]
    done = subprocess.run(
        command, cwd=lay_out(tmp_path), capture_output=True, text=True, timeout=170, check=False
    )
    assert (done.returncode, words in done.stdout) == (code, True), done.stdout + done.stderr


def test_a_known_mistakes_new_words_are_in_the_report(tmp_path: Path) -> None:
    course = lay_out(tmp_path / "course")
    catalogue = course / "reference" / SMALL / "mistakes.yaml"
    catalogue.write_text(catalogue.read_text("utf-8").replace("You subtract.", "You take b away."), "utf-8")
    add_to(tmp_path / "work" / "add.py", ADD.format("-"))
    done = follow("change a known mistake's words", 0, course, PATH=tmp_path / "work")
    assert "You take b away." in done.stdout, done.stderr
    assert "You subtract." not in done.stdout


def test_the_tests_that_hold_a_sentence_are_among_those_of_its_file() -> None:
    assert JOURNEYS["change a sentence of the engine"][1] == ["make check"]
    for room, module in [("judging", "failure_text"), ("judging", "compare"), ("report", "terminal")]:
        assert f"tests/{room}/test_{module}.py" in to_run([f"grader/{room}/{module}.py"], ROOT)


@pytest.mark.parametrize(
    ("wanted", "name"),
    [
        ("add a right style to the golden submissions", "baseline_all_nine"),
        ("add a wrong submission to the golden ones", "view_straight_linear"),
        ("run one room's tests", ""),
    ],
)
def test_tests_of_one_case_and_of_one_room_are_found(wanted: str, name: str) -> None:
    words = [name if word == "NAME" else word for word in JOURNEYS[wanted][1][0].split()]
    done = run([*words, "--collect-only", "-q"])
    found = [line for line in done.stdout.splitlines() if "::" in line]
    assert found, done.stdout
    assert all(name in line for line in found)
    assert all(line.startswith(words[3]) for line in found)


def test_a_kind_of_bundle_has_its_place_and_its_name() -> None:
    assert [kind for kind in KINDS if kind not in help_of("bundle")] == []
    for folder in (ROOT / "templates" / "bundle").iterdir():
        assert folder.name in {*KINDS, "shared", "quiz"}


# --- the record and the exit codes -------------------------------------------------------------------


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_every_field_of_the_record_is_told_and_no_other(model: type[BaseModel]) -> None:
    told = [named(field)[0] for field, _ in rows(section(RECORD, model.__name__))]
    assert told == list(model.model_fields)


def test_every_model_of_the_record_is_told() -> None:
    made = {
        thing for thing in vars(records).values()
        if isinstance(thing, type) and issubclass(thing, records.Frozen) and thing is not records.Frozen
    }  # fmt: skip
    assert made == set(MODELS)


def test_every_status_is_told() -> None:
    for model, statuses in [("StepRecord", records.StepStatus), ("CheckRecord", records.CheckStatus)]:
        (words,) = [what for field, what in rows(section(RECORD, model)) if field == "`status`"]
        assert named(words) == list(statuses.__args__)


def test_what_a_record_says_of_its_machine_is_told() -> None:
    worker: Any = SimpleNamespace(hello={"python": "3.11.0"}, isolation="sealed", parts="bubblewrap")
    told = [named(field)[0] for field, _ in rows(section(RECORD, "Environment"))]
    assert told == [*environment_of(worker, None, "cpu"), "standard"]
    assert {records.REFERENCE, records.SEALED} <= set(named(rows(section(RECORD, "Environment"))[-1][1]))


def test_exit_codes_are_those_of_the_readme_and_of_the_errors() -> None:
    codes = rows(section(RECORD, "Exit codes"))
    table = README[README.index("| exit code | means |") :].split("\n\n")[0]
    assert codes == rows(table)
    assert [code for code, _ in codes] == ["0", "1", "2", "3"]
    assert (errors.InputError.exit_code, errors.MachineError.exit_code) == (2, 3)
    assert f"Ctrl-C ends a command with {cli.INTERRUPTED}." in RECORD


# --- the road ------------------------------------------------------------------------------------------


def test_every_file_of_the_road_is_there() -> None:
    told = set(re.findall(r"[\w/]+/(?:\w+\.py\b)?|\b__main__\.py|\bcli\.py", ROAD))
    places = {name for name in told if name.split("/")[0] in {*MAY_USE, "cli.py", "__main__.py"}}
    assert len(places) > 25
    assert [name for name in places if not (ROOT / "grader" / name).exists()] == []


def test_the_road_leads_through_every_room_but_those_beside_it() -> None:
    assert [room for room in MAY_USE if f"{room}/" not in ROAD] == ["quiz"]
