from __future__ import annotations

import codecs
import errno
import hashlib
import json
import os
import socket
import sys
import time
import unicodedata
import warnings
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.core.errors import GraderError, InputError, MachineError
from grader.submission import tree
from grader.submission.model import lesson_files, lesson_names
from grader.submission.python_fault import picture, sentence
from grader.submission.reader import Cell, Module, Submission, read_submission
from grader.submission.source_index import read_code
from tests.tools.tiny_lesson import LESSON, holds, outcome

PROJECT = "def project(x, w, num_heads):\n    return x\n"
ATTEND = "def attend(q, k, v, mask=None):\n    return q, k\n"
FILES = "project.py, attend.py, module.py, cross.py"
NAMES = "project, attend, MultiHeadAttention, self_attention"
NO_FILES = f"nothing of the lesson in it: looked for {FILES}"
NO_NAMES = f"nothing of the lesson in it: looked for {NAMES}"
KINDS = "give a folder, a .py file, a notebook (.ipynb) or an archive of these (.zip, .tar.gz, .tgz)"
R_TO_L = "RIGHT-TO-LEFT OVERRIDE, which is not seen; delete it"
E_ACUTE = "é (LATIN SMALL LETTER E WITH ACUTE)"
UTF_16 = "it is UTF-16 text, as some Windows programs write it; save it as UTF-8"
ADVICE = "give only the lesson's files, without data, environments and .git"


def laid_out(root: Path, files: dict[str, str | bytes]) -> Path:
    """A folder with these files."""
    root.mkdir(exist_ok=True)
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


def folder(tmp_path: Path, files: dict[str, str | bytes]) -> Submission:
    return read_submission(laid_out(tmp_path / "hw", files), LESSON)


def file(tmp_path: Path, content: str | bytes, name: str = "answers.py") -> Submission:
    return read_submission(laid_out(tmp_path, {name: content}) / name, LESSON)


def refusal(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        read_submission(path, LESSON)
    said = str(caught.value)
    assert "\n" not in said
    assert said.startswith(f"{path}: ")
    return said.removeprefix(f"{path}: ")


def notebook(*sources: str) -> str:
    cells = [{"cell_type": "code", "metadata": {}, "outputs": [], "source": source} for source in sources]
    return json.dumps({"nbformat": 4, "nbformat_minor": 4, "metadata": {}, "cells": cells})


def told(read: Submission) -> dict[str, str]:
    """The problems, each without the line that shows the place."""
    return {file: sentence(problem) for file, problem in read.problems.items()}


def paths(read: Submission) -> list[str]:
    return [module.path for module in read.modules]


# --- a folder -------------------------------------------------------------------------------------


def test_a_folder_of_step_files(tmp_path: Path) -> None:
    read = folder(
        tmp_path, {"project.py": PROJECT, "attend.py": ATTEND, "notes.md": "x", "data.bin": b"\xff"}
    )
    assert read.modules == (
        Module("project", "project.py", (Cell(read_code(PROJECT), ""),)),
        Module("attend", "attend.py", (Cell(read_code(ATTEND), ""),)),
    )
    assert (read.name, read.form, read.problems, read.warnings) == ("hw", "folder", {}, ())


def test_helpers_packages_and_namespace_folders_are_importable(tmp_path: Path) -> None:
    read = folder(
        tmp_path,
        {
            "project.py": PROJECT,
            "helpers.py": "a = 1",
            "pack/__init__.py": "",
            "pack/inner/shapes.py": "b = 2",
            "space/tools.py": "c = 3",
            "__init__.py": "from .project import *",
            "two words.py": "d = 4",
            "2nd/x.py": "e = 5",
            "project/__init__.py": "raise SystemExit",
            "twice.py": "file",
            "twice/__init__.py": "package",
        },
    )
    assert {(module.name, module.path, module.package) for module in read.modules} == {
        ("project", "project.py", False),
        ("helpers", "helpers.py", False),
        ("pack", "pack/__init__.py", True),
        ("pack.inner.shapes", "pack/inner/shapes.py", False),
        ("space.tools", "space/tools.py", False),
        ("twice", "twice/__init__.py", True),
    }
    assert read.warnings == ()


@pytest.mark.parametrize(
    "name", [".git", ".venv", "venv", "__pycache__", "__MACOSX", "node_modules", ".ipynb_checkpoints"]
)
def test_what_tools_leave_behind_is_passed_by(tmp_path: Path, name: str) -> None:
    read = folder(
        tmp_path,
        {f"inner/{name}/attend.py": ATTEND, f"{name}/x.py": "", "inner/project.py": PROJECT, ".x.py": ""},
    )
    assert (paths(read), read.warnings) == (["project.py"], ())


def test_single_folders_are_entered_again_and_again(tmp_path: Path) -> None:
    read = folder(tmp_path, {"a/b/c/project.py": PROJECT, "a/readme.md": "x", "a/b/c/d/helper.py": ""})
    assert paths(read) == ["project.py", "d/helper.py"]


def test_a_folder_with_a_step_file_is_not_entered(tmp_path: Path) -> None:
    read = folder(tmp_path, {"attend.py": ATTEND, "old/project.py": PROJECT})
    assert [module.name for module in read.modules] == ["attend", "old.project"]


def test_two_folders_are_not_entered_and_the_error_says_where_to_look(tmp_path: Path) -> None:
    root = laid_out(tmp_path / "hw", {"src/project.py": PROJECT, "data/x.txt": ""})
    said = f"{NO_FILES}; found src/project.py, data/x.txt; give the folder src instead"
    assert refusal(root) == said


def test_an_empty_step_file_is_an_empty_module(tmp_path: Path) -> None:
    assert folder(tmp_path, {"project.py": ""}).modules == (
        Module("project", "project.py", (Cell(read_code(""), ""),)),
    )


@pytest.mark.parametrize("name", ["Project.py", "PROJECT.PY"])
def test_another_case_of_a_name_is_accepted_and_said(tmp_path: Path, name: str) -> None:
    read = folder(tmp_path, {name: PROJECT})
    assert [(module.name, module.path) for module in read.modules] == [("project", "project.py")]
    assert read.warnings == (f"{name} was read as project.py",)


def test_the_right_case_goes_first(tmp_path: Path) -> None:
    read = folder(tmp_path, {"Project.py": "a = 1", "project.py": PROJECT})
    assert [(module.name, module.path) for module in read.modules] == [
        ("project", "project.py"),
        ("Project", "Project.py"),
    ]
    assert read.warnings == ()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"def project(x:\n    pass\n", "line 1, column 12: '(' was never closed"),
        (
            b"def project(x):\nreturn x\n",
            "line 2, column 1: expected an indented block after function definition on line 1",
        ),
        (b"return 1", "line 1, column 1: 'return' outside function"),
        (b"x = 'a\x1b[31m\xe2\x80\xae", "line 1, column 5: unterminated string literal (detected at line 1)"),
        (
            b"x = 1 \xe2\x80\xae",
            f"line 1, column 7: invalid non-printable character U+202E; it is {R_TO_L}",
        ),
        (b"x = '\\N{no such name}'", None),
        (b"a\0b", "not UTF-8 text: a zero byte at offset 1; save it as UTF-8"),
        (
            b"# caf\xe9\n",
            f"line 1, column 6: byte 0xe9 is not UTF-8 text, but {E_ACUTE} in Windows' cp1252; save it as UTF-8",
        ),
        (
            b"x = 1\n" * 3 + b"\x81",
            "line 4, column 1: byte 0x81 is not UTF-8 text; save it as UTF-8",
        ),
        (PROJECT.encode("utf-16"), UTF_16),
        (
            PROJECT.encode("utf-16-le"),
            UTF_16,
        ),
        (
            b"# coding: klingon\n",
            "it declares the encoding 'klingon', which is not read here; save it as UTF-8",
        ),
        (b"# coding: hex\n", "it declares the encoding 'hex', which is not read here; save it as UTF-8"),
        (
            b"# coding: unicode_escape\n",
            "it declares the encoding 'unicode-escape', which is not read here; save it as UTF-8",
        ),
        (b"# coding: ascii\n# \xe9", "line 2, column 3: byte 0xe9 is not ascii text; save it as UTF-8"),
        (
            codecs.BOM_UTF8 + b"# coding: latin-1\n",
            "it begins with the mark of UTF-8 and declares another encoding; delete the declaration",
        ),
        (b"(" * 500, "line 1, column 201: too many nested parentheses"),
        (b"-" * 100_000 + b"1", None),
        (b"a" + b".b" * 100_000, None),
        (b"x = " + b"9" * 5_000, None),
        (b"#" * ((1 << 20) + 1), "larger than 1 MiB"),
    ],
)
def test_a_bad_step_file_costs_that_step_alone(tmp_path: Path, content: bytes, said: str | None) -> None:
    read = folder(tmp_path, {"project.py": content, "attend.py": ATTEND})
    assert list(read.problems) == ["project.py"]
    assert paths(read) == ["attend.py"]
    shown = read.problems["project.py"]
    assert said is None or sentence(shown) == said
    assert not {unicodedata.category(one) for one in shown.replace("\n", "")} & {"Cc", "Cf"}


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (codecs.BOM_UTF8 + b"a = 1\n", "a = 1\n"),
        (b"a = 1\r\nb = 2\rc = 3\n", "a = 1\nb = 2\nc = 3\n"),
        (b"# -*- coding: latin-1 -*-\nname = 'caf\xe9'\n", "# -*- coding: latin-1 -*-\nname = 'café'\n"),
        (b"#!/bin/python\n# coding=cp1252\nd = '\x80'\n", "#!/bin/python\n# coding=cp1252\nd = '€'\n"),
        ("h = 'é·𝛼'\n".encode(), "h = 'é·𝛼'\n"),
        (b"if 1:\n\ta = 1\n\x0c\nb = 2", "if 1:\n\ta = 1\n\x0c\nb = 2"),
        (b"a = '\\d'; b = 1 is 1\n", "a = '\\d'; b = 1 is 1\n"),
    ],
)
def test_a_step_file_is_decoded_as_python_would(tmp_path: Path, content: bytes, text: str) -> None:
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        read = folder(tmp_path, {"project.py": content})
    assert heard == []
    assert (read.problems, read.modules[0].cells) == ({}, (Cell(read_code(text), ""),))


def test_nothing_is_run(tmp_path: Path) -> None:
    sign = tmp_path / "sign"
    run = f"open({str(sign)!r}, 'w')\n"
    before = set(sys.modules)
    folder(
        tmp_path, {"project.py": run + PROJECT, "helper.py": run, "conftest.py": run, "sitecustomize.py": run}
    )
    file(tmp_path, run + PROJECT)
    file(tmp_path, notebook(run + PROJECT), "x.ipynb")
    assert not sign.exists()
    assert not {name for name in set(sys.modules) - before if name in {"helper", "conftest", "project"}}


def test_what_stands_in_a_step_files_place(tmp_path: Path) -> None:
    root = laid_out(tmp_path / "hw", {"attend.py": ATTEND, "project.py/x.txt": "", "elsewhere.txt": PROJECT})
    (root / "module.py").symlink_to("elsewhere.txt")
    os.mkfifo(root / "cross.py")
    began = time.monotonic()
    read = read_submission(root, LESSON)
    assert time.monotonic() - began < 5
    assert read.problems == {
        "project.py": "a folder stands in its place; put the file there",
        "module.py": "a link, not the file itself",
        "cross.py": "a pipe or a device, not a file",
    }
    assert paths(read) == ["attend.py"]


def test_links_and_pipes_elsewhere_are_named(tmp_path: Path) -> None:
    root = laid_out(tmp_path / "hw", {"project.py": PROJECT})
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "key.py").write_text("key = 1")
    (root / "helper.py").symlink_to("/etc/passwd")
    (root / "more").symlink_to(tmp_path / "secret")
    (root / "dangling.py").symlink_to("nowhere")
    (root / ".hidden").symlink_to("nowhere")
    os.mkfifo(root / "pipe.py")
    with socket.socket(socket.AF_UNIX) as server:
        here = Path.cwd()
        os.chdir(root)  # the path of a socket is short
        try:
            server.bind("talk.py")
        finally:
            os.chdir(here)
        read = read_submission(root, LESSON)
    assert paths(read) == ["project.py"]
    assert sorted(read.warnings) == [
        "dangling.py was passed over: a link, not the file itself",
        "helper.py was passed over: a link, not the file itself",
        "more was passed over: a link, not the file itself",
        "pipe.py was passed over: a pipe or a device, not a file",
        "talk.py was passed over: a pipe or a device, not a file",
    ]


def test_a_helper_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    read = folder(
        tmp_path,
        {
            "project.py": PROJECT,
            "helper.py": PROJECT.encode("utf-16"),
            "big.py": b"#" * ((1 << 20) + 1),
            "bad.py": "(",
        },
    )
    assert paths(read) == ["project.py", "bad.py"]
    assert read.warnings == (
        "big.py was passed over: larger than 1 MiB",
        f"helper.py was passed over: {UTF_16}",
    )


def test_names_are_shown_printable(tmp_path: Path) -> None:
    root = laid_out(tmp_path / "hw\x1b[2J", {"project.py": PROJECT})
    (root / "a\nb\u202e").symlink_to("nowhere")
    read = read_submission(root, LESSON)
    assert read.name == "hw\\x1b[2J"
    assert read.warnings == ("a\\x0ab\\u202e was passed over: a link, not the file itself",)


def test_a_name_that_is_no_text_is_read(tmp_path: Path) -> None:
    root = laid_out(tmp_path / "hw", {"project.py": PROJECT})
    Path(os.fsdecode(os.fsencode(root) + b"/\xff.py")).write_text("a = 1")
    assert paths(read_submission(root, LESSON)) == ["project.py"]


def test_a_notebook_beside_step_files_is_not_read_and_said(tmp_path: Path) -> None:
    read = folder(tmp_path, {"attend.py": ATTEND, "work.ipynb": "not even JSON"})
    assert read.warnings == ("work.ipynb was not read: the folder has attend.py",)


def test_what_cannot_be_opened_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = laid_out(tmp_path / "hw", {"attend.py": ATTEND, "locked/x.py": ""})
    really_open, really_scan = os.open, os.scandir

    def refuse(path: Path, *rest: int) -> int:
        if Path(path).name in {"project.py", "alone.py"}:
            raise PermissionError(13, "Permission denied", str(path))
        return really_open(path, *rest)

    def refuse_folder(path: Path) -> object:
        if Path(path).name in {"locked", "closed"}:
            raise PermissionError(13, "Permission denied", str(path))
        return really_scan(path)

    monkeypatch.setattr(tree.os, "open", refuse)
    monkeypatch.setattr(tree.os, "scandir", refuse_folder)
    read = read_submission(root, LESSON)
    assert read.problems == {}
    assert read.warnings == ("locked/ was passed over: it cannot be opened (Permission denied)",)
    closed = laid_out(tmp_path / "closed", {"alone.py": PROJECT})
    assert refusal(closed) == "it cannot be opened (Permission denied); make the folder readable"
    assert refusal(closed / "alone.py") == "it cannot be opened (Permission denied); make it readable"


def test_a_file_that_cannot_be_read_is_closed_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = laid_out(tmp_path / "hw", {"project.py": PROJECT})
    closed: list[int] = []
    really = os.close

    def refuse(handle: int, *_: object) -> None:
        monkeypatch.setattr(os, "close", lambda given: (closed.append(given), really(given)))
        raise OSError(errno.ENOMEM, f"descriptor {handle}")

    monkeypatch.setattr(os, "fdopen", refuse)
    with pytest.raises(MachineError, match="descriptor"):
        read_submission(root, LESSON)
    assert len(closed) == 1


@pytest.mark.parametrize(
    ("number", "kind", "then"),
    [(errno.EACCES, InputError, "make it readable"), (errno.EIO, MachineError, "try again")],
)
def test_a_step_file_that_nobody_could_read_is_not_judged_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, kind: type[GraderError], then: str
) -> None:
    root = laid_out(tmp_path / "hw", {"project.py": PROJECT, "attend.py": ATTEND})
    really_open = os.open

    def refuse(path: Path, *rest: int) -> int:
        if Path(path).name == "project.py":
            raise OSError(number, os.strerror(number), str(path))
        return really_open(path, *rest)

    monkeypatch.setattr(tree.os, "open", refuse)
    with pytest.raises(kind) as caught:
        read_submission(root, LESSON)
    assert str(caught.value) == f"{root}/project.py: it cannot be opened ({os.strerror(number)}); {then}"


# --- limits ---------------------------------------------------------------------------------------


def test_the_depth_of_folders_is_limited(tmp_path: Path) -> None:
    assert paths(folder(tmp_path, {"a/b/c/d/e/f/g/h/project.py": PROJECT})) == ["project.py"]
    root = laid_out(tmp_path / "deep", {"a/b/c/d/e/f/g/h/i/project.py": PROJECT})
    assert refusal(root) == f"too large: folders more than 8 deep; {ADVICE}"


def test_the_number_of_python_files_is_limited(tmp_path: Path) -> None:
    root = laid_out(tmp_path / "hw", {"project.py": PROJECT} | {f"m{number}.py": "" for number in range(499)})
    assert len(read_submission(root, LESSON).modules) == 500
    (root / "one_more.py").touch()
    assert refusal(root) == f"too large: more than 500 Python files; {ADVICE}"


def test_entries_and_bytes_of_a_folder_are_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = laid_out(tmp_path / "hw", {"project.py": PROJECT, "a.txt": "", "b/c.txt": ""})
    monkeypatch.setattr(tree, "FOLDER_ENTRIES", 3)
    assert refusal(root) == f"too large: more than 3 entries; {ADVICE}"
    monkeypatch.setattr(tree, "FOLDER_ENTRIES", 4)
    monkeypatch.setattr(tree, "TOTAL_BYTES", 10)
    assert refusal(root) == f"too large: over 0 MiB of Python; {ADVICE}"


def test_many_large_notebooks_cost_themselves_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree, "TOTAL_BYTES", 100)
    read = folder(tmp_path, {"project.py": PROJECT, "a.ipynb": " " * 60, "b.ipynb": " " * 60})
    assert read.warnings == (
        (
            "b.ipynb was passed over: one of many notebooks, over 0 MiB together; "
            "clear the notebook's outputs and save it again"
        ),
        "a.ipynb was not read: the folder has project.py",
    )


TOO_MUCH = "too much code: with the rest over 1,048,576 characters; keep only what the lesson asks for"


def test_a_file_over_the_budget_costs_itself_alone(tmp_path: Path) -> None:
    long = "x = 1\n" + f"# {'a' * 98}\n" * 10_000
    read = folder(tmp_path, {"project.py": long, "attend.py": ATTEND, "help.py": "a = 1\n", "long.py": long})
    assert read.problems == {}  # the step files go first
    assert paths(read) == ["project.py", "attend.py", "help.py"]
    assert read.warnings == (f"long.py was passed over: {TOO_MUCH}",)
    read = folder(tmp_path, {"module.py": long + "\n"})
    assert read.problems == {"module.py": TOO_MUCH}
    assert paths(read) == ["project.py", "attend.py", "help.py"]


def test_a_lone_file_over_the_budget_is_the_problem_of_the_steps_it_names(tmp_path: Path) -> None:
    read = file(tmp_path, PROJECT + "a;" * 200_000)
    said = "too much code: with the rest over 300,000 words and signs; keep only what the lesson asks for"
    assert read.problems == {"project.py": said}
    assert refusal(laid_out(tmp_path, {"b.py": "a;" * 200_000}) / "b.py") == f"{NO_NAMES}; and it is {said}"


# --- a folder that holds one file -----------------------------------------------------------------


def test_the_one_notebook_of_a_folder_is_read(tmp_path: Path) -> None:
    files = {"my work.ipynb": notebook(PROJECT), "utils.py": "a = 1", "images/x.png": b"\x89"}
    read = folder(tmp_path, files)
    assert (read.form, read.name) == ("notebook", "hw")
    assert [(module.name, module.path) for module in read.modules] == [
        ("my_work", "my work.ipynb"),
        ("utils", "utils.py"),
    ]


def test_the_one_script_of_a_folder_is_read(tmp_path: Path) -> None:
    read = folder(tmp_path, {"x/solution.py": PROJECT, "x/notes.md": ""})
    assert (read.form, paths(read)) == ("file", ["solution.py"])
    assert read.sha256 == hashlib.sha256(PROJECT.encode()).hexdigest()


def test_of_several_files_the_only_one_that_defines_a_name_is_meant(tmp_path: Path) -> None:
    read = folder(
        tmp_path, {"a.py": "x = 1", "b.py": ATTEND, "c.py": "import a", "play.ipynb": notebook("y = 2")}
    )
    assert (read.form, paths(read)) == ("file", ["b.py", "a.py", "c.py"])
    read = folder(
        tmp_path / "hw", {"a.ipynb": notebook("x = 1"), "b.ipynb": notebook("x = 1", PROJECT), "c.ipynb": "{"}
    )
    assert (read.form, paths(read)) == ("notebook", ["b.ipynb"])


def test_of_files_that_are_alike_the_first_is_taken(tmp_path: Path) -> None:
    same = notebook(PROJECT)
    read = folder(tmp_path, {"hw.ipynb": same, "hw (1).ipynb": same, "notes.ipynb": notebook("x = 1")})
    assert paths(read) == ["hw (1).ipynb"]


def test_the_search_for_the_file_that_is_meant_is_quick(tmp_path: Path) -> None:
    slow = "a;" * 400_000 + "b c # attend\n"  # Python needs seconds to say what is wrong with it
    root = laid_out(tmp_path / "hw", {f"{number}.py": slow for number in range(9)})
    laid_out(root, {f"{number}.ipynb": notebook(slow) for number in range(9)})
    began = time.monotonic()
    assert refusal(root).startswith(f"{NO_FILES}; found 0.ipynb, 0.py, ")
    assert time.monotonic() - began < 20


def test_the_level_that_defines_a_name_goes_before_a_deeper_one(tmp_path: Path) -> None:
    read = folder(
        tmp_path, {"work.ipynb": notebook("from helpers.util import a", PROJECT), "helpers/util.py": "a = 1"}
    )
    assert paths(read) == ["work.ipynb", "helpers/util.py"]


def test_a_file_that_does_not_parse_may_be_meant(tmp_path: Path) -> None:
    read = folder(tmp_path, {"a.py": "x = 1", "b.py": "def project(x:\n"})
    assert (read.form, read.modules[0]) == ("file", Module("b", "b.py", ()))
    assert told(read) == {"project.py": "line 1, column 12: '(' was never closed"}


@pytest.mark.parametrize(
    ("files", "said"),
    [
        (
            {"a.py": PROJECT, "b.py": ATTEND},
            "two files have the lesson's names in them, a.py and b.py; give one that has all of your work",
        ),
        ({"a.py": "", "b.py": ""}, f"{NO_FILES}; found a.py, b.py"),
        (
            {"a.ipynb": notebook(PROJECT), "b.ipynb": notebook(ATTEND), "c.ipynb": "{}"},
            "two notebooks have the lesson's names in them, a.ipynb and b.ipynb; give one that has all of your work",
        ),
        (
            {f"{number}.ipynb": notebook(PROJECT, f"x = {number}") for number in range(7)},
            (
                "7 notebooks have the lesson's names in them, 0.ipynb, 1.ipynb, 2.ipynb, 3.ipynb and 4.ipynb, …; "
                "give one that has all of your work"
            ),
        ),
        (
            {"Main.java": "", "x/y": ""},
            f"{NO_FILES}; found Main.java, x/y",
        ),
        (
            {f"{number}.txt": "" for number in range(12)},
            f"{NO_FILES}; found 0.txt, 1.txt, 10.txt, 11.txt, 2.txt, 3.txt, 4.txt, 5.txt, …",
        ),
        ({}, "it is empty; put the lesson's files in it"),
        ({".git/x": "", "__pycache__/x.pyc": ""}, "it is empty; put the lesson's files in it"),
        (
            {"a.py": "x = 1"},
            f"a.py: {NO_NAMES}; found x; give them the lesson's names",
        ),
    ],
)
def test_a_folder_without_the_lesson_says_what_was_looked_for(
    tmp_path: Path, files: dict[str, str | bytes], said: str
) -> None:
    root = laid_out(tmp_path / "hw", files)
    assert refusal(root) == said


# --- one file -------------------------------------------------------------------------------------


def test_one_python_file(tmp_path: Path) -> None:
    read = file(tmp_path, PROJECT + ATTEND, "my-answers 2.py")
    assert read == Submission(
        name="my-answers 2.py",
        sha256=hashlib.sha256((PROJECT + ATTEND).encode()).hexdigest(),
        form="file",
        modules=(Module("my_answers_2", "my-answers 2.py", (Cell(read_code(PROJECT + ATTEND), ""),)),),
        problems={},
        warnings=(),
    )


@pytest.mark.parametrize(
    ("name", "module"), [("2nd.py", "_2nd"), ("project.py", "project"), ("é·.py", "é_"), ("-.PY", "_")]
)
def test_its_stem_becomes_an_identifier(tmp_path: Path, name: str, module: str) -> None:
    read = file(tmp_path, PROJECT, name)
    assert (read.form, read.modules[0].name) == ("file", module)
    assert module.isidentifier()


@pytest.mark.parametrize(
    "content",
    [
        "async def attend(): ...",
        "if True:\n    try:\n        def attend(): ...\n    except ImportError:\n        pass",
        "attend = lambda q: q",
        "attend: object = len",
        "from torch import softmax as attend",
        "for _ in range(2):\n    class MultiHeadAttention: ...",
        "match 1:\n    case 1:\n        def attend(): ...",
        "if a: pass\n" + "elif a: pass\n" * 500 + "else:\n    def attend(): ...",
    ],
)
def test_any_way_to_define_a_name_counts(tmp_path: Path, content: str) -> None:
    assert file(tmp_path, content).problems == {}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", f"{NO_NAMES}; it defines no function or class"),
        (
            "def f():\n    def attend(): ...",
            f"{NO_NAMES}; found f; give them the lesson's names",
        ),
        (
            "class MultiheadAttention: ...\ndef other(): ...",
            f"{NO_NAMES}; the nearest name found is MultiheadAttention; give it the lesson's name",
        ),
        (
            "a = b = c = d = e = f = 1",
            f"{NO_NAMES}; found a, b, c, d, e, …; give them the lesson's names",
        ),
        (
            "def other(:",
            f"{NO_NAMES}; and Python stops at line 1, column 11: invalid syntax",
        ),
        (PROJECT.encode("utf-16"), UTF_16),
        (b"#" * ((1 << 20) + 1), f"too large: over 1 MiB; {ADVICE}"),
    ],
)
def test_one_file_without_the_lesson_is_an_error(tmp_path: Path, content: str | bytes, said: str) -> None:
    assert refusal(laid_out(tmp_path, {"answers.py": content}) / "answers.py") == said


def test_one_file_that_does_not_parse_is_the_problem_of_the_steps_it_names(tmp_path: Path) -> None:
    read = file(tmp_path, "# def attend\nclass MultiHeadAttention:\n    x = (\n\n  def project(x): ...\n")
    said = "line 3, column 9: '(' was never closed"
    assert told(read) == {"project.py": said, "module.py": said, "cross.py": said}
    assert picture(read.problems["module.py"]) == "    x = (\n        ^"
    assert read.modules == (Module("answers", "answers.py", ()),)


# --- paths ----------------------------------------------------------------------------------------


def test_the_path_itself_may_be_a_link(tmp_path: Path) -> None:
    root = laid_out(tmp_path / "hw", {"project.py": PROJECT})
    (tmp_path / "latest").symlink_to(root)
    (tmp_path / "current").symlink_to(root / "project.py")
    assert read_submission(tmp_path / "latest", LESSON).name == "latest"
    assert read_submission(tmp_path / "current", LESSON).form == "file"


def test_a_relative_path_and_the_folder_one_is_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(laid_out(tmp_path / "hw", {"project.py": PROJECT}))
    assert read_submission(Path(), LESSON).name == "hw"
    assert read_submission(Path("project.py"), LESSON).form == "file"
    monkeypatch.chdir(laid_out(tmp_path / ".hidden", {"project.py": PROJECT}))
    assert paths(read_submission(Path(), LESSON)) == ["project.py"]


def test_paths_that_cannot_be_used_are_said(tmp_path: Path) -> None:
    laid_out(tmp_path, {"a.txt": "", "noise": "", "x.tar": "", "x.7z": ""})
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "gone.py").symlink_to("nowhere")
    os.mkfifo(tmp_path / "pipe.py")
    assert refusal(tmp_path / "none.py") == f"no such file or folder; {KINDS}"
    assert refusal(tmp_path / "gone.py") == f"no such file or folder; {KINDS}"
    assert refusal(tmp_path / "loop").endswith(KINDS)
    assert refusal(tmp_path / "a.txt" / "b.py") == f"it cannot be opened (Not a directory); {KINDS}"
    assert refusal(tmp_path / "pipe.py") == f"a pipe or a device, not a file; {KINDS}"
    for name in ("a.txt", "noise", "x.tar", "x.7z"):
        assert refusal(tmp_path / name) == f"not a kind of file that can be graded; {KINDS}"
    with pytest.raises(InputError, match=r"a\\x00b: no file or folder has such a path; give a folder"):
        read_submission(Path("a\0b"), LESSON)
    with pytest.raises(InputError, match="it cannot be opened \\(File name too long\\)"):
        read_submission(Path("x" * 5000 + ".py"), LESSON)


# --- the digest -----------------------------------------------------------------------------------


def test_the_digest_is_of_the_python_files_alone(tmp_path: Path) -> None:
    base = {"project.py": PROJECT, "pack/helper.py": "a = 1"}
    first = folder(tmp_path, base).sha256
    changed = [
        base | {"project.py": PROJECT + " "},
        {"project.py": PROJECT, "pack/helpers.py": "a = 1"},
        base | {"more.py": ""},
    ]
    seen = {first}
    for number, files in enumerate(changed):
        seen.add(read_submission(laid_out(tmp_path / str(number), files), LESSON).sha256)
    assert len(seen) == 4
    assert len(first) == 64
    same = laid_out(
        tmp_path / "same", {"deep/" + name: text for name, text in base.items()} | {"deep/notes.txt": "x"}
    )
    assert read_submission(same, LESSON).sha256 == first


def test_a_helper_beside_a_lone_file_counts_in_the_digest(tmp_path: Path) -> None:
    alone = read_submission(laid_out(tmp_path / "a", {"work.ipynb": notebook(PROJECT)}), LESSON)
    helped = read_submission(
        laid_out(tmp_path / "b", {"work.ipynb": notebook(PROJECT), "util.py": "a = 1"}), LESSON
    )
    assert alone.sha256 == hashlib.sha256(notebook(PROJECT).encode()).hexdigest()
    assert helped.sha256 != alone.sha256


# --- all of it ------------------------------------------------------------------------------------


def test_the_lesson_as_reading_needs_it() -> None:
    assert lesson_files(LESSON)["cross.py"] == ("MultiHeadAttention", "self_attention")
    assert lesson_names(LESSON) == ("project", "attend", "MultiHeadAttention", "self_attention")


TEXTS = st.sampled_from(
    ["", PROJECT, ATTEND, "(", "\0", "\ufeff", "# coding: rot13\n", "%%time\n", "é" * 9]
) | st.text(max_size=30)


@settings(derandomize=True, max_examples=200, deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(
            ["project.py", "ATTEND.py", "x.py", "a/project.py", "a/b/y.py", "z.ipynb", "a/z.ipynb", "t.txt"]
        ),
        TEXTS.map(lambda text: text.encode("utf-8", "surrogatepass")) | st.binary(max_size=30),
        max_size=5,
    ),
    st.lists(TEXTS, max_size=3),
)
def test_any_folder_gives_a_submission_or_one_line(
    tmp_path_factory: pytest.TempPathFactory, files: dict[str, bytes], cells: list[str]
) -> None:
    root = tmp_path_factory.mktemp("fuzz")
    laid_out(root, {**files, "w.ipynb": notebook(*cells)} if cells else dict(files))
    for path in (root, *(root / name for name in files)):
        assert holds(path)
        read = outcome(path)
        assert isinstance(read, str) or set(read.problems) <= set(lesson_files(LESSON))


# --- names that browsers, systems and notebooks make ------------------------------------------------


COPIES = (
    *("project (1).py", "project(2).py", "project - Copy.py", "project - Copy (2).py", "project copy.py"),
    *(
        "project copy 2.py",
        "Copy of project.py",
        "Kopie von project.py",
        "project - Kopie.py",
        "project-Copy1.py",
    ),
    *(
        "project-1.py",
        "project 2.py",
        "project.py.txt",
        "PROJECT.PY.txt",
        "project.py.py",
        "project (1).py.txt",
    ),
    "Copy of project (1).py",
)
NO_COPIES = (
    *("projects.py", "my project.py", "project_1.py", "project_copy.py", "project2.py", "project.txt"),
    *("project (a).py", "copyproject.py", "project - attend.py", "project (1)", "x/project (1).py"),
)


@pytest.mark.parametrize("path", COPIES)
def test_a_copy_is_taken_where_the_file_itself_is_absent_and_that_is_said(tmp_path: Path, path: str) -> None:
    read = folder(tmp_path, {path: PROJECT, "attend.py": ATTEND})
    assert [(module.name, module.path) for module in read.modules] == [
        ("project", "project.py"), ("attend", "attend.py"),
    ]  # fmt: skip
    assert read.warnings == (f"{path} was read as project.py, which is not there",)


@pytest.mark.parametrize("path", COPIES)
def test_a_copy_beside_the_file_itself_is_not_read_and_named(tmp_path: Path, path: str) -> None:
    read = folder(tmp_path, {path: "1 / 0", "project.py": PROJECT})
    assert paths(read) == ["project.py"]
    assert read.warnings == (f"{path} was not read: project.py is there",)


@pytest.mark.parametrize("path", NO_COPIES)
def test_another_name_is_no_copy(tmp_path: Path, path: str) -> None:
    read = folder(tmp_path, {path: PROJECT, "attend.py": ATTEND})
    assert "project.py" not in paths(read)
    assert read.warnings == ()


def test_of_several_copies_the_highest_number_counts(tmp_path: Path) -> None:
    read = folder(
        tmp_path, {"project (9).py": "", "project (10).py": PROJECT, "project - Copy.py": "", "attend.py": ""}
    )
    assert read.modules[0].cells[0].text == PROJECT
    assert read.warnings == (
        (
            "project (10).py was read as project.py, which is not there; project - Copy.py and project (9).py not: "
            "of copies the highest number counts"
        ),
    )


def test_a_folder_of_copies_alone_is_entered_like_one_of_step_files(tmp_path: Path) -> None:
    assert paths(folder(tmp_path, {"hw/project (1).py": PROJECT})) == ["project.py"]


@pytest.mark.parametrize("name", ["hw.ipynb.txt", "hw.ipynb.json", "hw.IPYNB.download"])
def test_a_notebook_with_an_ending_too_many_is_one(tmp_path: Path, name: str) -> None:
    assert (
        file(tmp_path, notebook(PROJECT), name).form == read_submission(tmp_path, LESSON).form == "notebook"
    )


SAVED = {
    "nbconvert": "# coding: utf-8\n\n# In[1]:\n\n\nimport torch\n",
    "nbconvert, not run": "# In[ ]:\nimport torch\n",
    "a magic": "get_ipython().run_line_magic('matplotlib', 'inline')\n",
    "Colab": '"""hw.ipynb\n\nAutomatically generated by Colab.\n"""\n',
    "cells of an editor": "# %%\nimport torch\n",
    "a shell line": "!pip install torch\n",
    "a line magic": "%matplotlib inline\n",
}


@pytest.mark.parametrize("case", SAVED)
def test_a_script_saved_from_a_notebook_is_run_like_one(tmp_path: Path, case: str) -> None:
    text = SAVED[case] + PROJECT
    alone = file(tmp_path, text, "hw.py")
    among = folder(tmp_path, {"project.py": text, "util.py": SAVED[case], "attend.py": ATTEND})
    assert [module.notebook for module in (*alone.modules, *among.modules)] == [True, True, False, True]
    assert (alone.problems, among.problems, alone.form, among.form) == ({}, {}, "file", "folder")
    lines = [module.cells[0].text.splitlines() for module in (*alone.modules, among.modules[0])]
    assert (
        lines[0]
        == lines[1]
        == [line if line[0:1] not in ("!", "%") else "pass" for line in text.splitlines()]
    )


def test_a_script_is_none_of_a_notebook(tmp_path: Path) -> None:
    read = file(tmp_path, "a = 7\n# In short: %d\n" + PROJECT, "hw.py")
    assert not read.modules[0].notebook


def test_a_script_that_python_cannot_read_without_its_magics_either_is_told_as_it_is(tmp_path: Path) -> None:
    read = folder(tmp_path, {"project.py": "!ls\ndef project(:\n"})
    assert list(read.problems) == ["project.py"]
    assert read.problems["project.py"].startswith("line 1, column 1: invalid syntax")
