"""Hostile files at the door: each attack has a test that goes by its name, here or where the table says."""

from __future__ import annotations

import ast
import io
import json
import os
import random
import shutil
import struct
import subprocess
import sys
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.core.errors import InputError
from grader.core.own_words import unmarked
from grader.core.text import odd_letter, printable
from grader.grading.triage import absent
from grader.lesson.answers import Loading
from grader.lesson.lesson import find_lesson
from grader.submission.forbidden_scan import detours
from grader.submission.model import Submission
from grader.submission.reader import read_submission
from tests.submission.test_archive import ATTEND, PROJECT, member, special, tarred, zipped
from tests.tools.intake_watch import bounded, only_reading

TESTS = Path(__file__).resolve().parents[1]
LESSON = find_lesson("multi_head_attention")

# The attacks on intake, and the tests that hold them off: `file::test`, here where no file is named.
ROWS = {
    "slow import, huge source, a bomb for the parser": (
        "test_source_that_is_a_bomb_for_the_parser_costs_seconds_at_most",
        "test_reader.py::test_a_bad_step_file_costs_that_step_alone",
        "test_broken_work.py::test_who_reaches_a_limit_fails_alone",
        "test_notebook.py::test_magics_are_found_in_linear_time",
    ),
    "one who uses each limit to the full starves the others": (
        "test_hogs.py::test_honest_work_beside_hogs_gets_the_record_it_gets_alone",
        "test_broken_work.py::test_steps_that_take_their_time_starve_no_other",
    ),
    "one submission's processes reach for another's": (
        "test_walls.py::test_a_guest_is_refused",
        "test_client.py::test_other_processes_are_not_seen",
    ),
    "names that lead out of the archive": (
        "test_archive.py::test_an_entry_that_leads_out_is_skipped_and_named",
        "test_archive.py::test_nothing_is_written",
        "test_intake_fuzz.py::test_any_archive_is_a_submission_or_one_line_and_only_read",
    ),
    "links and devices in an archive": (
        "test_archive.py::test_links_and_devices_in_a_tar_are_skipped",
        "test_archive.py::test_links_and_devices_in_a_zip_are_skipped",
    ),
    "a link in a step file's place": (
        "test_a_link_to_a_secret_shows_nothing_of_it",
        "test_reader.py::test_what_stands_in_a_step_files_place",
    ),
    "a pipe or a device that never opens": (
        "test_reader.py::test_links_and_pipes_elsewhere_are_named",
        "test_bad_input.py::test_a_device",
    ),
    "bombs: packed, many, inside one another, lying": (
        "test_archive.py::test_bombs_are_refused_by_name",
        "test_archive.py::test_more_than_the_limits_is_refused",
        "test_archive.py::test_an_archive_inside_is_not_opened",
        "test_a_zip_whose_entries_share_their_bytes_costs_little",
        "test_a_zip_that_lies_about_its_sizes_costs_little",
        "test_a_sparse_tar_costs_little",
    ),
    "odd names": (
        "test_odd_names_are_shown_harmlessly_and_hide_no_step",
        "test_archive.py::test_names_are_shown_printable",
        "test_reader.py::test_another_case_of_a_name_is_accepted_and_said",
        "test_reader.py::test_a_name_that_is_no_text_is_read",
    ),
    "conftest.py, pytest.ini and the like beside a submission": (
        "test_startup.py::test_hostile_files_around_and_variables_change_nothing_of_the_record",
        "test_judge.py::test_nothing_around_steers_the_session",
    ),
    "sitecustomize.py, torch.py, reference.py beside a submission": (
        "test_startup.py::test_hostile_files_around_and_variables_change_nothing_of_the_record",
        "test_guest.py::test_what_is_already_imported_is_not_replaced_by_a_file_of_its_name",
    ),
    "notebooks with outputs, magics, shell lines, huge cells": (
        "test_notebook.py::test_outputs_and_metadata_are_never_looked_at",
        "test_notebook.py::test_magics_and_shell_lines_are_taken_out_line_by_line",
        "test_notebook.py::test_a_cell_of_another_magic_is_dropped_whole",
        "test_notebook.py::test_code_beyond_the_limits_is_refused",
        "test_intake_fuzz.py::test_any_json_is_a_notebook_or_one_line_and_only_read",
    ),
    "encodings, byte order marks, look-alike letters, zero bytes, form feeds": (
        "test_reader.py::test_a_bad_step_file_costs_that_step_alone",
        "test_reader.py::test_a_step_file_is_decoded_as_python_would",
        "test_a_function_whose_name_only_looks_right_is_told_by_its_letter",
        "test_a_file_whose_name_only_looks_right_is_told_by_its_letter",
        "test_a_step_without_its_name_is_told_which_letter_of_the_nearest_is_another",
    ),
    "hooks, submodules and LFS pointers of a cloned repository": (
        "test_a_hostile_repository_is_read_as_plain_files_and_starts_nothing",
        "test_a_git_lfs_pointer_is_told_wherever_it_stands",
    ),
}  # fmt: skip


def test_every_row_has_tests_that_are_there() -> None:
    missing = []
    for row, named in ROWS.items():
        assert named, row
        for name in named:
            file, _, test = name.rpartition("::")
            tree = ast.parse(next(TESTS.rglob(file or Path(__file__).name)).read_text("utf-8"))
            if test not in {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}:
                missing.append(f"{row}: {name}")
    assert missing == []


def laid_out(root: Path, files: dict[str, bytes]) -> Path:
    for name, data in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return root


def refusal(path: Path) -> str:
    with pytest.raises(InputError) as caught, only_reading():
        read_submission(path, LESSON)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def read(path: Path) -> Submission:
    with only_reading():
        return read_submission(path, LESSON)


# --- source -------------------------------------------------------------------------------------

BOMBS = {
    "brackets": "(" * 200_000,
    "minus signs": "x = " + "-" * 500_000 + "1",
    "attributes": "a" + ".b" * 80_000,
    "a sum": "x = " + "+".join(["1"] * 100_000),
    "comparisons": "x = " + "<".join(["a"] * 60_000),
    "lambdas": "x = " + "lambda: " * 100_000 + "0",
    "blocks": "".join(" " * depth + "if 1:\n" for depth in range(1_000)),
    "elif": "if a: pass\n" + "elif a: pass\n" * 60_000,
    "decorators": "@a\n" * 30_000 + "def project(x, w, n): ...",
    "subscripts": "x = a" + "[0]" * 80_000,
    "formatted strings": "x = " + "f'{" * 1_000,
    "powers": "x = 9**9**9**9\ny = 'a' * 10**12\nz = (0,) * 10**9",
    "a long number": "x = " + "9" * 900_000,
    "a binary number": "x = 0x" + "f" * 900_000,
    "escapes": "x = '" + "\\N{LATIN SMALL LETTER A}" * 40_000 + "'",
    "names": "".join(f"a{number} = 0\n" for number in range(25_000)),
    "definitions": "".join(f"def projec{number}(): 0\n" for number in range(8_000)),
    "spaces": "def" + " " * 900_000 + "project",
    "getattr": "getattr(a, " * 20_000 + ")" * 20_000,
    "generators": "x = " + "(a for a in " * 5_000 + "b" + ")" * 5_000,
    "dictionary": "x = {" + "**{" * 50_000,
    "backslashes": "\\\n" * 400_000 + "x = 1",
    "types": "def f" + "[T: " * 5_000,
}


@pytest.mark.parametrize("what", BOMBS)
def test_source_that_is_a_bomb_for_the_parser_costs_seconds_at_most(tmp_path: Path, what: str) -> None:
    folder = laid_out(
        tmp_path / "hw", {"attend.py": BOMBS[what].encode(), "concat.py": b"def concat(heads): ..."}
    )
    lone = tmp_path / "all.py"
    lone.write_text(f"{BOMBS[what]}\n", "utf-8")
    with bounded(8, 500):
        found = read(folder)
        for step in LESSON.steps:
            detours(LESSON, step, found)
    assert "concat.py" not in found.problems
    try:
        with bounded(8, 500):
            read_submission(lone, LESSON)
    except InputError as error:
        assert "\n" not in str(error)  # noqa: PT017  (a sum is no lesson, a long number is no Python)


# --- links --------------------------------------------------------------------------------------


def test_a_link_to_a_secret_shows_nothing_of_it(tmp_path: Path) -> None:
    (tmp_path / "secret.py").write_text("TOKEN = 'swordfish'\n(", "utf-8")
    folder = laid_out(tmp_path / "hw", {"attend.py": ATTEND, "util/a.py": b"a = 1"})
    for name in ("project.py", "helper.py", "util/link.py", "notes.txt", "all.ipynb"):
        (folder / name).symlink_to(tmp_path / "secret.py")
    (folder / "beside").symlink_to(tmp_path, target_is_directory=True)
    found = read(folder)
    assert found.problems == {"project.py": "a link, not the file itself"}
    assert [module.path for module in found.modules] == ["attend.py", "util/a.py"]
    assert "swordfish" not in repr(found)
    assert "secret" not in repr(found)


# --- bombs --------------------------------------------------------------------------------------


def test_a_zip_whose_entries_share_their_bytes_costs_little(tmp_path: Path) -> None:
    plain = zipped(("project.py", random.Random(1).randbytes(1 << 19).hex().encode()))
    with zipfile.ZipFile(io.BytesIO(plain)) as archive:
        start = archive.start_dir
    entry = plain[start : plain.rindex(b"PK\x05\x06")]
    many = b"".join(entry.replace(b"project.py", f"proj{number:03d}.py".encode()) for number in range(900))
    tail = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 900, 900, len(many), start, 0)
    (tmp_path / "hw.zip").write_bytes(plain[:start] + many + tail)
    with bounded(10, 200):
        assert "too large: over 50 MiB unpacked" in refusal(tmp_path / "hw.zip")


def test_a_zip_that_lies_about_its_sizes_costs_little(tmp_path: Path) -> None:
    plain = zipped(("project.py", b"\0" * (40 << 20)))
    lying = plain.replace(struct.pack("<L", 40 << 20), struct.pack("<L", 100))
    (tmp_path / "hw.zip").write_bytes(lying)
    with bounded(5, 100):
        assert "not a readable archive" in refusal(tmp_path / "hw.zip")


def test_a_sparse_tar_costs_little(tmp_path: Path) -> None:
    info = member("project.py", b"S")
    head = bytearray(info.tobuf())
    head[386:398] = b"00000000000\0"
    head[398:410] = b"00000000001\0"
    head[483:495] = b"\x80\0\0\0\x10\0\0\0\0\0\0\0"  # its real size: 2**60 bytes
    head[148:156] = b" " * 8
    head[148:156] = f"{sum(head):06o}\0 ".encode()
    (tmp_path / "hw.tgz").write_bytes(bytes(head) + b"x" * 512 + b"\0" * 1024)
    with bounded(5, 100):
        try:
            read(tmp_path / "hw.tgz")
        except InputError as error:
            assert "\n" not in str(error)  # noqa: PT017  (either is right, as long as it is cheap)


# --- names --------------------------------------------------------------------------------------

ODD = (
    "CON.py", "aux.py", "nul", "a:b.py", "a\\b.py", "a\nb.py", "\x1b[31m.py", "\u202eyp.py", "a\u200b.py",
    "é" * 120 + ".py",
    "-rf.py", " .py", "~.py", "$(touch x).py", "`touch x`.py", "::error::x.py", "=1+1.py", "<script>.py", "a\tb.ipynb",
    "PROJECT.PY", "Attend.py", "attend.py ", "__init__.py", "..py", "x.py.", "100%.py", "'; drop.py", "&amp;.py",
    "\U000e0041.py",
)  # fmt: skip


@pytest.mark.parametrize("form", ["folder", "zip", "tgz"])
def test_odd_names_are_shown_harmlessly_and_hide_no_step(tmp_path: Path, form: str) -> None:
    files = {"project.py": PROJECT, "attend.py": ATTEND, **dict.fromkeys(ODD, b"(\xff")}
    if form == "folder":
        path = laid_out(tmp_path / "hw", files)
    else:
        path = tmp_path / f"hw.{form}"
        path.write_bytes((zipped if form == "zip" else tarred)(*files.items()))
    found = read(path)
    assert {"project.py", "attend.py"} <= {module.path for module in found.modules}
    assert found.problems == {}
    told = [*found.warnings, *(module.path for module in found.modules)]
    assert len(told) > 5
    assert [text for text in told if printable(text, 10_000) != text or len(text) > 500] == []
    assert list(tmp_path.iterdir()) == [path]  # nothing was unpacked beside it


def test_two_entries_that_differ_in_case_are_two_files(tmp_path: Path) -> None:
    (tmp_path / "hw.zip").write_bytes(zipped(("project.py", PROJECT), ("Project.py", b"(")))
    found = read(tmp_path / "hw.zip")
    assert found.problems == {}
    assert [module.path for module in found.modules] == ["project.py", "Project.py"]


def test_a_device_in_a_zip_is_named_by_what_it_is(tmp_path: Path) -> None:
    (tmp_path / "hw.zip").write_bytes(zipped((special("project.py", 0o020666), b""), ("attend.py", ATTEND)))
    assert read(tmp_path / "hw.zip").warnings == (
        "project.py was passed over: a pipe or a device, not a file",
    )


# --- look-alike letters ---------------------------------------------------------------------------

CYRILLIC = "att\u0435nd"
LETTER = "(its letter 4 is U+0435, CYRILLIC SMALL LETTER IE)"


def test_a_function_whose_name_only_looks_right_is_told_by_its_letter(tmp_path: Path) -> None:
    (tmp_path / "all.py").write_text(f"def {CYRILLIC}(q, k, v): ...\n", "utf-8")
    assert f"the nearest name found is {CYRILLIC} {LETTER}; give it the lesson's name" in refusal(
        tmp_path / "all.py"
    )


def test_a_file_whose_name_only_looks_right_is_told_by_its_letter(tmp_path: Path) -> None:
    folder = laid_out(
        tmp_path / "hw", {"project.py": PROJECT, f"{CYRILLIC}.py": ATTEND, "日本語の.py": b"a = 1"}
    )
    assert read(folder).warnings == (f"attend.py is not there, and {CYRILLIC}.py is another name {LETTER}",)


def test_a_step_without_its_name_is_told_which_letter_of_the_nearest_is_another() -> None:
    step = next(step for step in LESSON.steps if step.file == "attend.py")
    loading = Loading(seen=(CYRILLIC, "other"))
    submission, run = (
        SimpleNamespace(problems={}, form="folder"),
        SimpleNamespace(modules={step.id: "attend"}),
    )
    said = absent(step, submission, run, SimpleNamespace(loadings={step.id: loading}))  # type: ignore[arg-type]
    assert (
        unmarked(said)
        == f"attend.py has nothing named `attend`; the nearest name in it is `{CYRILLIC}` {LETTER}"
    )


def test_wide_letters_that_python_takes_for_plain_ones_count_as_such(tmp_path: Path) -> None:
    (tmp_path / "all.py").write_text("def \uff41ttend(q, k, v): ...\n", "utf-8")
    assert read(tmp_path / "all.py").problems == {}


@settings(derandomize=True, max_examples=100, deadline=None)
@given(st.text(max_size=20))
def test_an_odd_letter_is_told_exactly_where_there_is_one(name: str) -> None:
    assert bool(odd_letter(name)) is not name.isascii()
    assert odd_letter(name).isascii()


# --- repositories ---------------------------------------------------------------------------------

POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146\nsize 12345\n"
CONFIG = "[core]\n\tfsmonitor = touch {mark}\n\thooksPath = .git/hooks\n\tsshCommand = touch {mark}\n"


@pytest.mark.skipif(shutil.which("git") is None, reason="no git here")
def test_a_hostile_repository_is_read_as_plain_files_and_starts_nothing(tmp_path: Path) -> None:
    repository, mark = tmp_path / "hw", tmp_path / "mark"
    subprocess.run(["git", "init", "-q", str(repository)], check=True, capture_output=True)
    for hook in ("post-checkout", "post-merge", "pre-commit", "fsmonitor-watchman", "post-index-change"):
        path = repository / ".git" / "hooks" / hook
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\ntouch {mark}\n", "utf-8")
        path.chmod(0o755)
    with (repository / ".git" / "config").open("a", encoding="utf-8") as config:
        config.write(CONFIG.format(mark=mark))
    laid_out(repository, {
        "project.py": PROJECT, "attend.py": POINTER, "big/data.py": POINTER, ".gitattributes": b"*.py filter=evil\n",
        ".gitmodules": b'[submodule "x"]\n\tpath = sub\n\turl = ext::sh -c touch%20mark\n', "sub/.git": b"gitdir: /etc\n",
        "sub/helper.py": b"a = 1", ".git/project.py": b"raise SystemExit", ".git/modules/x/attend.py": ATTEND,
        ".github/workflows/x.yml": b"on: push",
    })  # fmt: skip
    found = read(repository)
    assert not mark.exists()
    assert [module.path for module in found.modules] == ["project.py", "sub/helper.py"]
    assert found.problems["attend.py"].startswith(
        "a Git LFS pointer, not the file itself; run `git lfs pull`"
    )
    assert found.warnings == (f"big/data.py was passed over: {found.problems['attend.py']}",)


@pytest.mark.parametrize("name", ["attend.py", "all.ipynb", "hw.zip", "hw.tar.gz"])
def test_a_git_lfs_pointer_is_told_wherever_it_stands(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(POINTER)
    said = f"{tmp_path / name}: a Git LFS pointer, not the file itself; run `git lfs pull` and give it again"
    assert refusal(tmp_path / name) == said


def test_a_file_that_only_speaks_of_pointers_is_no_pointer(tmp_path: Path) -> None:
    text = b"# version https://git-lfs.github.com/spec/v1\n" + PROJECT
    assert read(laid_out(tmp_path / "hw", {"project.py": text})).problems == {}


# --- the watch itself -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "deed",
    [
        lambda folder: (folder / "a").write_text("x"),
        lambda folder: (folder / "b").mkdir(),
        lambda folder: (folder / "c").symlink_to("/"),
        lambda _: subprocess.run([sys.executable, "-c", ""], check=True),
        lambda _: exec(compile("1", "submission", "exec")),
        lambda _: os.system("true"),
    ],
)
def test_the_watch_notices_what_reading_may_not_do(tmp_path: Path, deed: object) -> None:
    with pytest.raises(AssertionError), only_reading():
        deed(tmp_path)  # type: ignore[operator]
    with only_reading():
        assert json.loads("[]") == []


def test_the_bounds_notice_what_costs_too_much() -> None:
    with pytest.raises(AssertionError, match="MiB"), bounded(60, 5):
        [b"x" * (64 << 20)].pop()  # so much is never taken out of what was held before
    with pytest.raises(AssertionError, match="computing time"), bounded(0.05, 500):
        sum(range(20_000_000))
