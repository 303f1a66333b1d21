from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from grader.core.errors import MachineError
from grader.judging.cases import Case
from grader.judging.judge import judge
from grader.judging.pytest_plugin import Verdict
from tests.tools.answers import probe, returned, tensor

CHECKS = '''
from grader.author import Case, Finding, Select, criterion

NOTES = []

@criterion("add", 3, value=True)
def test_add_values(cases: Select) -> None:
    """The sum is the sum.

    More that nobody reads.
    """
    for case in cases("values"):
        case.agrees("y")

@criterion("add", 2)
def test_add_of_strings(cases: Select) -> None:
    for case in cases("nowhere"):
        case.agrees("y")

@criterion("add", 1.5)
def test_add_faulty(cases: Select) -> None:
    """A check with a fault of its own"""
    {}["oops"]

@criterion("double", 4, value=True)
def test_double_values(cases: Select) -> None:
    """Twice as much."""
    for case in cases("values"):
        raise Finding("half of it")
'''

PLAIN = probe()
TWICE = probe("double/plain", step="double")


@pytest.fixture
def checks(tmp_path: Path) -> Path:
    path = tmp_path / "lesson" / "checks.py"
    path.parent.mkdir()
    path.write_text(CHECKS, encoding="utf-8")
    return path


def cases(y: float = 1.0) -> dict[str, list[Case]]:
    return {
        "add": [Case(PLAIN, returned(PLAIN, y=tensor([y])), {"y": tensor([1.0])})],
        "double": [Case(TWICE, returned(TWICE, y=tensor([2.0])), {"y": tensor([2.0])})],
    }


def said(found: Sequence[Verdict]) -> list[tuple[str, str, str]]:
    return [(verdict.id, verdict.status, verdict.message) for verdict in found]


def test_each_check_has_a_verdict_in_the_files_order(checks: Path) -> None:
    found = judge(checks, cases(), ["double", "add"])
    assert found == (
        Verdict("values", "add", "The sum is the sum", 3.0, True, "passed"),
        Verdict(
            "of-strings", "add", "test_add_of_strings", 2.0, False, "not_reached", "no answers for nowhere"
        ),
        Verdict(
            "faulty", "add", "A check with a fault of its own", 1.5, False, "broken",
            "the check itself failed: KeyError: 'oops'",
        ),
        Verdict("values", "double", "Twice as much", 4.0, True, "failed", "half of it"),
    )  # fmt: skip


def test_a_wrong_answer_fails_with_its_finding(checks: Path) -> None:
    assert said(judge(checks, cases(2.0), ["add"]))[0] == (
        "values",
        "failed",
        (
            "`y`: differs most at [0]: expected 1, got 2 "
            "(1 of 1 numbers is off by more than 6.607e-06). Case: B=2, T=3."
        ),
    )


def test_checks_of_other_steps_are_left_out(checks: Path) -> None:
    assert [verdict.step for verdict in judge(checks, cases(), ["double"])] == ["double"]


def test_where_no_step_is_judged_there_is_no_verdict(checks: Path) -> None:
    assert judge(checks, {}, []) == ()


def test_a_step_without_answers_is_not_reached_and_never_passed(checks: Path) -> None:
    found = judge(checks, {}, ["add", "double"])
    assert {verdict.status for verdict in found if verdict.id != "faulty"} == {"not_reached"}


def test_changed_checks_are_read_anew(checks: Path) -> None:
    assert judge(checks, cases(), ["double"])[0].title == "Twice as much"
    checks.write_text(CHECKS.replace("Twice as much", "Twice as well"), encoding="utf-8")
    assert judge(checks, cases(), ["double"])[0].title == "Twice as well"


def test_two_lessons_in_one_process_have_their_own_checks(checks: Path, tmp_path: Path) -> None:
    other = tmp_path / "other" / "checks.py"
    other.parent.mkdir()
    other.write_text(CHECKS.replace("half of it", "a third of it"), encoding="utf-8")
    told = [judge(path, cases(), ["double"])[0].message for path in (checks, other, checks)]
    assert told == ["half of it", "a third of it", "half of it"]


STEERING = """
def pytest_collection_modifyitems(items):
    items[:] = []

def pytest_configure():
    raise SystemExit(9)
"""


def test_nothing_around_steers_the_session(
    checks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    submission = tmp_path / "submission"
    submission.mkdir()
    for folder in (submission, checks.parent, tmp_path):
        (folder / "conftest.py").write_text(STEERING, encoding="utf-8")
        (folder / "pytest.ini").write_text(
            "[pytest]\naddopts = --collect-only --nonsense\n", encoding="utf-8"
        )
        for name, table in (("tox.ini", "pytest"), ("setup.cfg", "tool:pytest")):
            (folder / name).write_text(f"[{table}]\naddopts = --collect-only --nonsense\n", encoding="utf-8")
        (folder / "pyproject.toml").write_text(
            '[tool.pytest.ini_options]\naddopts = "--collect-only --nonsense"\n', encoding="utf-8"
        )
        (folder / "evil.py").write_text("raise SystemExit(9)\n", encoding="utf-8")
        installed = folder / "evil-1.0.dist-info"
        installed.mkdir()
        (installed / "METADATA").write_text(
            "Metadata-Version: 2.1\nName: evil\nVersion: 1.0\n", encoding="utf-8"
        )
        (installed / "entry_points.txt").write_text("[pytest11]\nevil = evil\n", encoding="utf-8")
    monkeypatch.syspath_prepend(submission)  # as if that plugin were installed
    monkeypatch.chdir(submission)
    monkeypatch.setenv("PYTEST_ADDOPTS", "--collect-only --nonsense")
    monkeypatch.setenv("PYTEST_PLUGINS", "evil")
    before = dict(os.environ)
    assert [verdict.status for verdict in judge(checks, cases(), ["double"])] == ["failed"]
    assert dict(os.environ) == before


def test_a_session_leaves_nothing_behind(checks: Path, capfd: pytest.CaptureFixture[str]) -> None:
    checks.write_text(CHECKS.replace("NOTES = []", "print('hello')"), encoding="utf-8")
    modules = {
        name for name, module in sys.modules.items() if getattr(module, "__file__", None) == str(checks)
    }
    judge(checks, cases(), ["add"])
    assert modules == set()
    assert [path.name for path in checks.parent.iterdir()] == ["checks.py"]
    assert not any(getattr(module, "__file__", None) == str(checks) for module in list(sys.modules.values()))
    assert sys.dont_write_bytecode is False or "PYTHONDONTWRITEBYTECODE" in os.environ
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("import nothing_of_the_kind\n", "ModuleNotFoundError: No module named 'nothing_of_the_kind'"),
        ("def test(:\n", "SyntaxError: invalid syntax"),
        ("", "it has no check of these steps"),
        (CHECKS.replace('"add"', '"sum"').replace('"double"', '"sum"'), "it has no check of these steps"),
        (CHECKS.replace('{}["oops"]', "import pytest; pytest.exit('enough')"), "pytest ended with 2"),
    ],
)
def test_checks_that_cannot_be_run_are_our_fault_and_said(checks: Path, text: str, why: str) -> None:
    checks.write_text(text, encoding="utf-8")
    with pytest.raises(MachineError) as raised:
        judge(checks, cases(), ["add"])
    assert str(raised.value) == f"the checks in {checks} could not be run: {why}"


def test_a_check_that_ends_the_program_is_broken_alone(checks: Path) -> None:
    checks.write_text(CHECKS.replace('{}["oops"]', "raise SystemExit(3)"), encoding="utf-8")
    found = said(judge(checks, cases(), ["add"]))
    assert found[2] == ("faulty", "broken", "the check itself failed: SystemExit: 3")
    assert found[0] == ("values", "passed", "")


def test_checks_that_are_not_there_are_named(tmp_path: Path) -> None:
    with pytest.raises(
        MachineError, match=r"checks\.py could not be run: ERROR: file or directory not found"
    ):
        judge(tmp_path / "checks.py", cases(), ["add"])


def test_a_session_takes_a_moment_only(checks: Path) -> None:
    judge(checks, cases(), ["add"])
    began = time.process_time()
    judge(checks, cases(), ["add"])
    assert time.process_time() - began < 1.0
