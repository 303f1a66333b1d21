from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from grader.sandbox import font_cache
from grader.sandbox.font_cache import SET_UP, font_folder


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An environment whose set-up made no list, and a user's cache that is still empty."""
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "venv"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path


def test_the_list_that_set_up_made_is_taken(bare: Path) -> None:
    made = bare / "venv" / SET_UP
    made.mkdir(parents=True)
    assert font_folder() == made
    assert not (bare / "cache").exists()


def test_without_one_it_is_made_once_and_whole(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = font_folder()
    assert place is not None
    assert place.is_relative_to(bare / "cache")
    assert list(place.glob("fontlist-*.json"))
    assert list(place.parent.iterdir()) == [place]
    monkeypatch.setattr(subprocess, "run", None)
    assert font_folder() == place


def test_where_it_cannot_be_made_nothing_is_left(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(font_cache, "MAKE", "raise SystemExit(1)")
    assert font_folder() is None
    assert [path for path in (bare / "cache").rglob("*") if path.is_file() or path.name.startswith(".")] == []
    (bare / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(bare / "file"))
    assert font_folder() is None


def test_a_home_that_is_somebody_elses_is_no_fault(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "is_dir", refused)
    monkeypatch.setattr(Path, "mkdir", refused)
    assert font_folder() is None
    assert not (bare / "cache").exists()


def test_a_user_without_a_home_is_no_fault(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr("os.path.expanduser", lambda path: path)
    assert font_folder() is None
    assert list(bare.iterdir()) == []
