"""A seed of its own for each submission."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from grader.cli import app
from grader.core.errors import InputError
from grader.grading.seeds import SEED_BITS, read_secret, seed_for
from grader.grading.session import Session
from tests.tools.hostile_tools import BROKEN, SLUG

SECRET = b"0123456789abcdef"


def test_a_seed_is_the_submissions_own_and_stays_it() -> None:
    one = seed_for(SECRET, "a", "d1")
    assert one == seed_for(SECRET, "a", "d1")
    others = {seed_for(SECRET, "a", "d2"), seed_for(SECRET, "b", "d1"), seed_for(SECRET + b"0", "a", "d1")}
    assert len(others | {one}) == 4
    assert all(0 <= seed < 2**SEED_BITS for seed in others)


def test_a_secret_is_read_without_white_space(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    path.write_bytes(SECRET + b"\r\n")
    assert read_secret(path) == SECRET


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, "No such file or directory"),
        (b"short\n", "a secret needs at least 16 bytes; make one with python -c"),
        (b"x" * 5000, "a secret is at most 4096 bytes long; is it the right file?"),
    ],
)
def test_what_is_no_secret_is_told_in_one_line(tmp_path: Path, text: bytes | None, words: str) -> None:
    path = tmp_path / "secret"
    if text is not None:
        path.write_bytes(text)
    with pytest.raises(InputError, match=words) as told:
        read_secret(path)
    assert f"--seed-per-submission {path}: " in str(told.value)
    assert "\n" not in str(told.value)


@pytest.mark.parametrize(("option", "value"), [("--seed", "7"), ("--sealed", "sealed.bin")])
def test_only_one_option_says_which_inputs_are_asked(tmp_path: Path, option: str, value: str) -> None:
    line = ["grade", str(BROKEN / "right"), "--seed-per-submission", str(tmp_path / "secret"), option, value]
    done = CliRunner().invoke(app, line)
    assert isinstance(done.exception, InputError)
    assert str(done.exception) == (
        f"--seed-per-submission and {option}: each says which inputs are asked; give one"
    )


@pytest.mark.hostile
def test_two_submissions_are_asked_otherwise_and_each_the_same_again(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        shutil.copy(BROKEN / "right" / "cost.py", tmp_path / name)
    with (tmp_path / "two" / "cost.py").open("a") as file:
        file.write("\n# another's\n")
    with Session(SLUG, None, secret=SECRET) as session:
        records = [session.grade(tmp_path / name) for name in ("one", "two", "one")]
    assert records[0].seed == records[2].seed != records[1].seed
    assert records[0].seed == seed_for(SECRET, SLUG, records[0].submission.sha256)
    assert {record.score for record in records} == {6.0}
