from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from grader.core.errors import InputError, MachineError
from grader.core.files import check_places, write_text


def test_text_is_written_whole_as_utf_8(tmp_path: Path) -> None:
    write_text(tmp_path / "record.json", "ä\n")
    assert (tmp_path / "record.json").read_bytes() == b"\xc3\xa4\n"
    assert [path.name for path in tmp_path.iterdir()] == ["record.json"]


def test_a_new_file_has_the_mode_of_any_new_file(tmp_path: Path) -> None:
    write_text(tmp_path / "ours", "x")
    (tmp_path / "other").touch()
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "other").stat().st_mode


def test_an_existing_file_keeps_its_mode_and_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("old")
    (tmp_path / "kept").chmod(0o600)
    (tmp_path / "link").symlink_to("kept")
    write_text(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "kept").read_text() == "new"
    assert stat.S_IMODE((tmp_path / "kept").stat().st_mode) == 0o600


def test_a_full_disk_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "record.json").write_text("old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(MachineError, match="No space left on device"):
        write_text(tmp_path / "record.json", "new")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("record.json", "old")]


@pytest.mark.parametrize("fault", [MemoryError, KeyboardInterrupt, SystemExit])
def test_whatever_ends_the_writing_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: type[BaseException]
) -> None:
    (tmp_path / "record.json").write_text("old")

    def stop(_: int) -> None:
        raise fault

    monkeypatch.setattr(os, "fsync", stop)
    with pytest.raises(fault):
        write_text(tmp_path / "record.json", "new")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("record.json", "old")]


def test_a_write_that_takes_only_a_part_is_gone_on_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    really = os.write
    monkeypatch.setattr(os, "write", lambda handle, data: really(handle, bytes(data)[:3]))
    write_text(tmp_path / "record.json", "all of it")
    monkeypatch.undo()
    assert (tmp_path / "record.json").read_text() == "all of it"


def test_a_device_is_written_to_and_stays_a_device() -> None:
    check_places([Path(os.devnull)])
    write_text(Path(os.devnull), "x")
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("missing/record.json", "No such file or directory"),
        ("folder", "it is a folder"),
        ("file/record.json", "Not a directory"),
        ("x" * 300, "cannot be written"),
        ("nul\0byte", "no file can have such a path"),
    ],
)
def test_a_place_that_cannot_be_written_is_found_before_any_work(
    tmp_path: Path, name: str, words: str
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match=words) as caught:
        check_places([tmp_path / name])
    assert "\n" not in str(caught.value)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder"]


def test_a_check_leaves_nothing_and_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "old").write_text("old")
    check_places([tmp_path / "old", tmp_path / "new"])
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("old", "old")]


def test_two_outputs_in_one_file_are_refused(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("one")
    with pytest.raises(InputError, match="two outputs"):
        check_places([tmp_path / "one", tmp_path / "link"])
