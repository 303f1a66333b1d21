"""The command `grader grade`: what it prints, what it writes, how it ends."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from grader.cli import main
from grader.sandbox import jail
from tests.tools.hostile_tools import BROKEN, below

ROOT = Path(__file__).resolve().parents[2]
COMMAND = [sys.executable, "-m", "grader"]


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A submission of one right step, worth 10 points."""
    folder = tmp_path / "small"
    folder.mkdir()
    shutil.copy(BROKEN / "right" / "concat.py", folder)
    return folder


def run(*words: str | Path, **environment: str) -> subprocess.CompletedProcess[bytes]:
    line = [*COMMAND, *map(str, words)]
    return subprocess.run(
        line, cwd=ROOT, capture_output=True, timeout=150, check=False, env={**os.environ, **environment}
    )


def test_a_record_on_standard_output_stands_there_alone(small: Path, tmp_path: Path) -> None:
    done = run("grade", small, "--json", "-", "--junit", tmp_path / "junit.xml", "--fail-under", "10")
    assert (done.returncode, done.stderr) == (0, b"")
    record = json.loads(done.stdout)
    assert (record["version"], record["score"], record["max_score"]) == (1, 10, 100)
    assert (tmp_path / "junit.xml").read_text("utf-8").startswith("<?xml")


def test_below_the_asked_points_is_exit_1_and_everything_is_written(small: Path, tmp_path: Path) -> None:
    record = tmp_path / "record.json"
    done = run(
        "grade", small, "--json", record, "--fail-under", "10.5", "--seed", "3", PYTHONIOENCODING="ascii"
    )
    assert (done.returncode, done.stderr) == (1, b"")
    assert done.stdout.isascii()
    assert b"10" in done.stdout
    assert json.loads(record.read_text("utf-8"))["seed"] == 3
    assert sorted(path.name for path in tmp_path.iterdir()) == ["record.json", "small"]


def ended_by(number: int, own: Path) -> tuple[int, bytes, bytes]:
    """How the command ends by a signal in the middle of a hanging step; nothing of it lives on or lies in `own`."""
    process = subprocess.Popen(
        [*COMMAND, "grade", str(BROKEN / "sleep_in_call")],
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(own)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    end = time.monotonic() + 60
    started: dict[int, str] = {}
    while (
        len(started) < 5 and time.monotonic() < end and process.poll() is None
    ):  # two workers, one sleeping child
        started = below(process.pid)
        time.sleep(0.05)
    time.sleep(0.5)
    started |= below(process.pid)
    process.send_signal(number)
    try:
        printed, error = process.communicate(timeout=15)
    except subprocess.TimeoutExpired:
        # Python loses an interrupt that falls into a callback of an import; whoever waits presses again.
        process.send_signal(number)
        printed, error = process.communicate(timeout=15)
    end = time.monotonic() + 10
    while (left := [pid for pid in started if _lives(pid)]) and time.monotonic() < end:
        time.sleep(0.05)
    assert len(started) >= 5
    assert left == []
    assert list(own.iterdir()) == []
    return process.returncode, printed, error


def _lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_an_interrupt_ends_it_in_one_line_and_leaves_nothing(tmp_path: Path) -> None:
    assert ended_by(signal.SIGINT, tmp_path) == (130, b"", b"grader: stopped\n")


def test_being_told_to_end_leaves_nothing(tmp_path: Path) -> None:
    assert ended_by(signal.SIGTERM, tmp_path) == (143, b"", b"")


def test_even_when_it_is_killed_its_jail_ends(tmp_path: Path) -> None:
    assert ended_by(signal.SIGKILL, tmp_path)[0] == -signal.SIGKILL


def here(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *words: str
) -> tuple[int, str, str]:
    """The command in this process."""
    monkeypatch.setattr(sys, "argv", ["grader", *words])
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    with pytest.raises(SystemExit) as caught:
        main()
    said = capsys.readouterr()
    return int(caught.value.code or 0), said.out, said.err


def test_a_machine_without_torch_is_exit_3_in_one_line(
    small: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jail, "library_paths", list)
    code, printed, error = here(capsys, monkeypatch, "grade", str(small))
    assert (code, printed, error.count("\n")) == (3, "", 1)
    assert "the worker did not start: ModuleNotFoundError: No module named 'torch'" in error


def test_a_fault_of_ours_is_exit_3_in_one_line(
    small: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("two\nlines")

    monkeypatch.setattr("grader.grading.session.grade", broken)
    code, printed, error = here(capsys, monkeypatch, "grade", str(small))
    assert (code, printed, error.count("\n")) == (3, "", 1)
    assert "ZeroDivisionError: two lines (test_cli.py, line" in error
    assert "Traceback" not in error


def test_the_payload_never_stands_beside_a_record_on_standard_output(small: Path) -> None:
    done = run("grade", small, "--json", "-", "--github-payload")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode().startswith("grader: --github-payload and --json -: ")
