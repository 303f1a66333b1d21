"""Input that cannot be used, through the real command: one line on standard error, exit 2, nothing else."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from grader.cli import main
from tests.tools.hostile_tools import BROKEN

ROOT = Path(__file__).resolve().parents[2]
INPUTS = yaml.safe_load((BROKEN / "index.yaml").read_text("utf-8"))["inputs"]
UNUSABLE = [entry.get("grade", entry["path"]) for entry in INPUTS if entry["exit"] == 2]
RIGHT = BROKEN / "right"


Command = Callable[..., tuple[int, str, str]]


def real(*words: str | Path) -> tuple[int, str, str]:
    """Exit code, standard output and error of the command in a process of its own."""
    line = [sys.executable, "-m", "grader", *map(str, words)]
    done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, timeout=100, check=False)
    return done.returncode, done.stdout, done.stderr


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """The same in this process, without the workers that are started and thrown away meanwhile."""

    class Nothing:
        def close(self) -> None:
            pass

    def run(*words: str | Path) -> tuple[int, str, str]:
        monkeypatch.setattr("grader.grading.session.start_jailed", Nothing)
        monkeypatch.setattr("grader.grading.session.start_trusted", Nothing)
        monkeypatch.setattr(sys, "argv", ["grader", *map(str, words)])
        monkeypatch.setattr("signal.signal", lambda *_: None)
        with pytest.raises(SystemExit) as caught:
            main()
        said = capsys.readouterr()
        return int(caught.value.code or 0), said.out, said.err

    return run


def refused(done: tuple[int, str, str], *said: str | Path) -> None:
    code, printed, error = done
    assert (code, printed) == (2, ""), error
    assert error.count("\n") == 1, error
    assert error.endswith("\n"), error
    assert error.startswith("grader: "), error
    assert "Traceback" not in error
    for words in said:
        assert str(words) in error


@pytest.mark.parametrize("path", UNUSABLE)
def test_an_unusable_file_is_named_in_one_line(command: Command, path: str) -> None:
    refused(command("grade", BROKEN / path), BROKEN / path)


@pytest.mark.parametrize("path", ["inputs/truncated.ipynb", "inputs/text.tar.gz", "inputs/only_a_note"])
def test_so_does_the_command_itself(path: str) -> None:
    refused(real("grade", BROKEN / path, "--json", "-"), BROKEN / path)


def test_no_such_path(tmp_path: Path) -> None:
    refused(real("grade", tmp_path / "nothing"), tmp_path / "nothing", "no such file or folder")


def test_an_empty_folder(command: Command, tmp_path: Path) -> None:
    refused(command("grade", tmp_path), tmp_path, "empty")


def test_a_folder_of_an_empty_folder(command: Command, tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    refused(command("grade", tmp_path), tmp_path)


def test_half_an_archive(tmp_path: Path) -> None:
    whole = Path(shutil.make_archive(str(tmp_path / "whole"), "zip", RIGHT))
    half = tmp_path / "half.zip"
    half.write_bytes(whole.read_bytes()[: whole.stat().st_size // 2])
    refused(real("grade", half), half)


def test_a_device(command: Command) -> None:
    refused(command("grade", os.devnull), os.devnull)


def test_a_file_that_is_too_large(command: Command, tmp_path: Path) -> None:
    large = tmp_path / "large.py"
    large.write_text((RIGHT / "concat.py").read_text("utf-8") + "# more of this\n" * 600_000)
    refused(command("grade", large), large, "too large")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--lesson", "no_such_lesson"], "no_such_lesson"),
        (["--lesson", "../reference"], "../reference"),
        (["--seed", "-1"], "--seed"),
        (["--seed", "seven"], "--seed"),
        (["--seed", "1" * 5000], "--seed"),
        (["--fail-under", "all"], "--fail-under"),
        (["--no-such-option"], "--no-such-option"),
        (["another", "path"], "another"),
    ],
)
def test_an_option_that_makes_no_sense(command: Command, words: list[str], said: str) -> None:
    refused(command("grade", RIGHT, *words), said)


def test_a_missing_path_and_an_unknown_command(command: Command) -> None:
    refused(command("grade"), "path")
    refused(command("judge", RIGHT), "judge")


@pytest.mark.parametrize("option", ["--json", "--junit"])
def test_an_output_that_cannot_be_written_is_said_before_anything_is_run(
    command: Command, tmp_path: Path, option: str
) -> None:
    (tmp_path / "attend.py").write_text("def attend(q, k, v, mask=None): return q, k\n", "utf-8")
    refused(command("grade", tmp_path, option, tmp_path / "missing" / "out"), tmp_path / "missing" / "out")
    refused(command("grade", tmp_path, option, tmp_path), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["attend.py"]
