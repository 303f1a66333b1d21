"""Which tests `make check` runs for what changed."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.tools.changed import HABITS, HOUSE, ROOT, changed_files, to_run

FILES = {
    "tests/test_house.py": "",
    "tests/core/test_text.py": "",
    "tests/judging/test_compare.py": "from grader.judging import score",
    "tests/judging/test_properties.py": "",
    "tests/judging/test_words.py": "def test():\n    import grader.judging.score",
    "tests/judging/test_properties_more.py": "",
    "tests/course/test_bundle.py": "from tests.tools.small import lay_out",
    "tests/course/test_bundle_lint.py": "",
    "tests/course/test_audit.py": "from grader.course.bundle.shared import filled",
    "tests/quiz/platforms/test_moodle.py": "",
    "tests/command/test_cli.py": "",
    "tests/tools/small.py": "",
    "tests/data/cases/one/test_of_a_learner.py": "",
    "tests/grading/test_reported_cases.py": "",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("changed", "wanted"),
    [
        ("grader/judging/compare.py", "judging/test_compare.py"),  # named after it
        ("grader/judging/score.py", "judging/test_compare.py judging/test_words.py"),  # else importing it
        (  # else named after its folder
            "grader/judging/diagnosis/properties/shares.py",
            "judging/test_properties.py judging/test_properties_more.py",
        ),
        ("grader/course/bundle/otter.py", "course/test_bundle.py course/test_bundle_lint.py"),
        ("grader/course/bundle/shared.py", "course/test_audit.py"),
        ("grader/core/records.py", "core/test_text.py"),  # else all of its room
        ("grader/quiz/bank/bank.py", "quiz/platforms/test_moodle.py"),
        ("grader/cli.py", "command/test_cli.py"),  # a door of the engine
        ("tests/core/test_text.py", "core/test_text.py"),
        ("tests/core/test_gone.py", ""),
        ("tests/tools/small.py", "course/test_bundle.py"),
        ("tests/data/cases/one/test_of_a_learner.py", "grading/test_reported_cases.py"),
        ("LICENSE", ""),
    ],
)
def test_a_change_has_the_tests_of_its_room_and_name(root: Path, changed: str, wanted: str) -> None:
    assert to_run([changed], root) == sorted([HOUSE, *(f"tests/{name}" for name in wanted.split())])


def test_several_changes_have_the_tests_of_each_once(root: Path) -> None:
    assert to_run([], root) == [HOUSE]
    twice = ["grader/core/text.py", "tests/core/test_text.py", "tests/judging/test_words.py"]
    assert to_run(twice, root) == ["tests/core/test_text.py", "tests/judging/test_words.py", HOUSE]


def test_each_file_of_the_engine_has_a_test_of_its_own_room() -> None:
    for path in (ROOT / "grader").rglob("*.py"):
        if "__pycache__" not in path.parts:
            assert len(to_run([path.relative_to(ROOT).as_posix()], ROOT)) > 1, path
    for page in ("CONTRIBUTING.md", "README.md", "docs/record.md", "Makefile"):
        assert HABITS in to_run([page], ROOT)


def test_what_changed_is_what_git_sees_since_the_branch_left_main(tmp_path: Path) -> None:
    def git(*words: str) -> None:
        who = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
        subprocess.run(["git", *who, *words], cwd=tmp_path, capture_output=True, check=True)

    def write(name: str, text: str) -> None:
        (tmp_path / name).write_text(text, "utf-8")

    assert changed_files(tmp_path) == []  # no checkout, so nothing is known
    git("init", "-b", "main")
    write("old.py", "1")
    write("kept.py", "1")
    write(".gitignore", "left_behind")
    git("add", ".")
    git("commit", "-m", "first")
    write("left_behind", "1")
    assert changed_files(tmp_path) == []
    write("kept.py", "2")
    assert changed_files(tmp_path) == ["kept.py"]  # on main: since the last commit
    git("checkout", "-b", "mine")
    git("commit", "-am", "second")
    write("new.py", "1")
    (tmp_path / "old.py").unlink()
    assert sorted(changed_files(tmp_path)) == ["kept.py", "new.py", "old.py"]
