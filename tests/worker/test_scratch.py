"""A guest's own folder: made for it, counted, and emptied without touching another's."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

from grader.worker.child import _stay_visible
from grader.worker.scratch import ENTRIES, Scratch, _nameless_as, settle_in
from grader.worker.tidy import walk
from grader.worker.walls import Walls

MOST = 2**20


def test_each_guest_has_a_folder_of_its_own_where_the_disk_bounds_nothing(tmp_path: Path) -> None:
    scratch = Scratch(str(tmp_path), frozenset(), MOST)
    first, second = scratch.place(0), scratch.place(1)
    assert first != second
    assert first == scratch.place(0)
    assert Path(first).is_dir()
    assert Scratch().place(0) == ""


def test_named_files_count_however_deep_and_shut(tmp_path: Path) -> None:
    scratch = Scratch(str(tmp_path), frozenset(), MOST)
    inner = Path(scratch.place(0)) / "a" / "b"
    inner.mkdir(parents=True)
    (inner / "file").write_bytes(b"x" * (MOST // 2))
    assert not scratch.overfull(0, os.getpid(), None)
    (inner / "more").write_bytes(b"x" * MOST)
    inner.chmod(0o300)
    assert scratch.overfull(0, os.getpid(), None)
    assert not scratch.overfull(1, os.getpid(), None)


def test_files_without_a_name_count_while_they_are_open(tmp_path: Path) -> None:
    scratch = Scratch(str(tmp_path), frozenset(), MOST)
    with tempfile.TemporaryFile(dir=scratch.place(0)) as file:
        file.write(b"x" * 2 * MOST)
        file.flush()
        assert scratch.overfull(0, os.getpid(), None)
    assert not scratch.overfull(0, os.getpid(), None)


@pytest.mark.skipif(os.name != "posix" or os.getuid() != 0, reason="only root can become another user")
def test_another_users_nameless_files_are_counted_by_that_user() -> None:
    """As in a container, where root may not look at others' processes: here it is asked of the user at once."""
    pid, uid = os.fork(), 60_502
    if not pid:
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
        _stay_visible()
        with tempfile.TemporaryFile() as file:
            file.write(b"x" * 3 * MOST)
            file.flush()
            time.sleep(20)
        os._exit(0)
    try:
        end = time.monotonic() + 10
        while _nameless_as(uid, pid) < 3 * MOST and time.monotonic() < end:
            time.sleep(0.05)
        assert _nameless_as(uid, pid) == 3 * MOST
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def test_empty_files_count_too(tmp_path: Path) -> None:
    scratch = Scratch(str(tmp_path), frozenset(), MOST)
    own = Path(scratch.place(0))
    for number in range(ENTRIES):
        (own / str(number)).touch()
    assert not scratch.overfull(0, os.getpid(), None)
    (own / "folder").mkdir()
    assert scratch.overfull(0, os.getpid(), None)


@pytest.mark.skipif(os.name != "posix" or os.getuid() != 0, reason="only root can mount a file system")
def test_where_a_folder_is_a_file_system_of_its_own_that_counts(tmp_path: Path) -> None:
    scratch = Scratch(str(tmp_path), frozenset(), MOST)
    own = Path(scratch.place(0))
    if subprocess.run(["mount", "-t", "tmpfs", "none", str(own)], check=False).returncode:
        pytest.skip("no file system can be mounted here")
    try:
        assert not scratch.overfull(0, os.getpid(), None)
        (own / "shut").mkdir()
        for number in range(ENTRIES):
            (own / "shut" / str(number)).touch()
        (own / "shut").chmod(0)  # it need not be looked into
        assert scratch.overfull(0, os.getpid(), None)
    finally:
        subprocess.run(["umount", str(own)], check=True)


def test_who_goes_deeper_than_a_path_can_lead_is_seen_and_all_of_it_is_taken_away(tmp_path: Path) -> None:
    scratch = Scratch(str(tmp_path), frozenset(), MOST)
    here = Path.cwd()
    os.chdir(scratch.place(0))
    try:
        for number in range(600):
            Path("d" * (1 + number % 30)).mkdir()
            os.chdir("d" * (1 + number % 30))
        Path("note").write_text("x")
    finally:
        os.chdir(here)
    assert scratch.overfull(0, os.getpid(), None)
    scratch.clear(0, None, None)
    assert list(Path(scratch.place(0)).iterdir()) == []


def test_a_hole_takes_no_room(tmp_path: Path) -> None:
    scratch = Scratch(str(tmp_path), frozenset(), MOST)
    with (Path(scratch.place(0)) / "hole").open("wb") as file:
        file.truncate(100 * MOST)
    assert not scratch.overfull(0, os.getpid(), None)


def test_what_one_guest_leaves_is_taken_away_and_anothers_is_not(tmp_path: Path) -> None:
    scratch = Scratch(str(tmp_path), frozenset(), MOST)
    for slot in (0, 1):
        (Path(scratch.place(slot)) / "note").write_text("x")
    walls = Walls((), (str(tmp_path), "/dev/null"), 7, True)
    scratch.clear(0, None, walls)
    assert [path.name for path in Path(scratch.place(0)).iterdir()] == []
    assert [path.name for path in Path(scratch.place(1)).iterdir()] == ["note"]


def test_without_landlock_the_common_folder_is_emptied_too_but_for_others_who_are_at_work(
    tmp_path: Path,
) -> None:
    (tmp_path / "ours").write_text("x")
    scratch = Scratch(str(tmp_path), frozenset({str(tmp_path / "ours")}), MOST)
    for slot in (0, 1):
        (Path(scratch.place(slot)) / "note").write_text("x")
    (tmp_path / "stray").write_text("x")
    scratch.clear(0, None, None)
    assert sorted(path.name for path in tmp_path.rglob("*") if path.is_file()) == ["note", "ours"]
    assert (Path(scratch.place(1)) / "note").exists()


def test_a_guest_may_write_to_its_own_folder_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HOME", "TMPDIR"):
        monkeypatch.setenv(name, "before")
    monkeypatch.setenv("MPLCONFIGDIR", str(tmp_path / "mpl"))
    monkeypatch.setattr(tempfile, "tempdir", None)
    own = Scratch(str(tmp_path), frozenset(), MOST).place(3)
    walls = settle_in(own, Walls(("/lib",), (str(tmp_path), "/dev/null"), 7, True))
    assert walls is not None
    assert walls.writable == (own, "/dev/null")
    assert walls.readable == ("/lib", str(tmp_path / "mpl"))
    assert (os.environ["HOME"], os.environ["TMPDIR"], tempfile.gettempdir()) == (own, own, own)


def test_what_is_mounted_below_is_no_guests_and_is_not_entered() -> None:
    """Libraries may lie below /tmp, which the jail empties: to look through them took longer than a grade."""
    pts = Path("/dev/pts")
    if not pts.is_mount():
        pytest.skip("needs a file system that is mounted below another")
    found = walk("/dev")
    assert str(pts) in found
    assert [path for path in found if path.startswith(f"{pts}/")] == []
