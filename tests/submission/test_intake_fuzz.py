"""Whatever is handed in, the answer is a submission or one line; nothing is written, and the cost is bounded."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
import warnings
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.core.errors import InputError
from grader.core.text import printable
from grader.submission.reader import read_submission
from tests.submission.test_reader import LESSON
from tests.tools.intake_watch import bounded, only_reading

PROJECT = b"def project(x, w, num_heads):\n    return x\n"
ATTEND = b"def attend(q, k, v, mask=None):\n    return q, k\n"

USUAL = ["project.py", "attend.py", "PROJECT.py", "a", "x.ipynb", "__MACOSX", ".git", "con"]
PARTS = st.text(max_size=12) | st.sampled_from([*USUAL, "..", ".", "C:", "\\", "", "n\n.py"])
NAMES = st.lists(PARTS, min_size=1, max_size=10).map("/".join) | st.text(max_size=300)
LARGE = (b"#" * (1 << 20), b"\0" * (3 << 20))
BYTES = st.binary(max_size=200) | st.sampled_from(
    [PROJECT, ATTEND, b"", b"(", b"\xff\xfe", b"\0", b'{"cells": []}', b"PK\x03\x04", *LARGE]
)
FILE, LINK, FOLDER, PIPE, DEVICE, SOCKET = 0o100644, 0o120777, 0o040755, 0o010644, 0o020666, 0o140777
MODES = st.sampled_from([0, FILE, LINK, FOLDER, PIPE, DEVICE, SOCKET]) | st.integers(0, 0xFFFF)
KINDS = st.sampled_from([bytes([code]) for code in (0, *b"01234567LKSVDxgMX")])
FORMS = st.sampled_from(["zip", "stored", "tar-gnu", "tar-pax", "tar-old", "tgz"])
CHANGES = st.lists(st.tuples(st.floats(0, 1), st.binary(min_size=1, max_size=8)), max_size=4)

Entry = tuple[str, bytes, int, bytes, int]
ENTRIES = st.lists(st.tuples(NAMES, BYTES, MODES, KINDS, st.integers(0, 1 << 62)), max_size=8)


def packed(entries: list[Entry], form: str) -> bytes:
    """An archive of these entries, as far as its writer can say them."""
    out = io.BytesIO()
    if form in ("zip", "stored"):
        method = zipfile.ZIP_DEFLATED if form == "zip" else zipfile.ZIP_STORED
        with zipfile.ZipFile(out, "w", method) as archive, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for name, data, mode, _, _ in entries:
                info = zipfile.ZipInfo(name or "a")
                info.create_system, info.external_attr, info.compress_type = 3, mode << 16, method
                archive.writestr(info, data)
        return out.getvalue()
    kind = {"tar-old": tarfile.USTAR_FORMAT, "tar-pax": tarfile.PAX_FORMAT}.get(form, tarfile.GNU_FORMAT)
    with tarfile.open(fileobj=out, mode="w", format=kind, errors="surrogateescape") as tar:
        for name, data, mode, what, size in entries:
            member = tarfile.TarInfo(name)
            member.mode, member.type, member.linkname, member.size = (
                mode & 0o7777,
                what,
                "../" + name[:50],
                len(data),
            )
            if form == "tar-pax" and size % 3 == 0:
                member.pax_headers = {"size": str(size), "path": name, "GNU.sparse.realsize": str(size)}
            try:
                tar.addfile(member, io.BytesIO(data))
            except (ValueError, UnicodeError):
                continue  # what this format has no room for
    return out.getvalue()


def changed(data: bytes, changes: list[tuple[float, bytes]], kept: float) -> bytes:
    """The same bytes with a few overwritten, cut off after a share of them."""
    made = bytearray(data)
    for place, new in changes:
        start = int(place * len(made))
        made[start : start + len(new)] = new
    return bytes(made[: int(len(made) * kept)] if kept < 1 else made)


def tried(path: Path) -> None:
    """Reading gives a submission or an InputError of one printable line, writes nothing and costs little."""
    with bounded(5, 300), only_reading():
        try:
            read = read_submission(path, LESSON)
        except InputError as error:
            told = [str(error)]
        else:
            told = [
                read.name,
                *read.warnings,
                *read.problems.values(),
                *(module.path for module in read.modules),
            ]
    assert [text for text in told if "\n" in text or printable(text, 10_000) != text] == []


@settings(derandomize=True, max_examples=250, deadline=None)
@given(ENTRIES, FORMS, CHANGES, st.floats(0.5, 1.2))
def test_any_archive_is_a_submission_or_one_line_and_only_read(
    tmp_path_factory: pytest.TempPathFactory,
    entries: list[Entry],
    form: str,
    changes: list[tuple[float, bytes]],
    kept: float,
) -> None:
    data = changed(packed(entries, form), changes, kept)
    inside = tmp_path_factory.mktemp("fuzz", numbered=True)
    path = inside / ("hw.zip" if form in ("zip", "stored") else "hw.tgz")
    path.write_bytes(changed(gzip.compress(data), [], kept) if form == "tgz" else data)
    tried(path)
    assert list(inside.iterdir()) == [path]
    path.unlink()
    inside.rmdir()


LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
SOURCES = (
    st.sampled_from([PROJECT.decode(), "%%bash\nls", "!ls", "(", "\0", "%%time\n", "?x", "a = !ls\n" * 50])
    | LEAVES
)
KINDS_OF_CELL = st.sampled_from(["code", "markdown", "raw", "heading", 3, None])
FIELDS = {"input": SOURCES, "code": SOURCES, "metadata": LEAVES, "id": LEAVES, "attachments": LEAVES}
FIELDS |= {"source": SOURCES | st.lists(SOURCES, max_size=4), "outputs": LEAVES | st.lists(LEAVES)}
CELLS = st.fixed_dictionaries({"cell_type": KINDS_OF_CELL}, optional=FIELDS)
ANYTHING = st.recursive(
    LEAVES | CELLS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner, max_size=4),
)
SHEETS = st.fixed_dictionaries({"cells": st.lists(CELLS, max_size=3) | ANYTHING})
PARTS_OF_BOOK = {
    "cells": st.lists(CELLS | ANYTHING, max_size=5) | ANYTHING,
    "worksheets": st.lists(SHEETS, max_size=2) | ANYTHING,
    "nbformat": st.integers(-1, 6) | LEAVES,
    "nbformat_minor": LEAVES,
    "metadata": ANYTHING,
}
BOOKS = st.fixed_dictionaries({}, optional=PARTS_OF_BOOK)


@settings(derandomize=True, max_examples=200, deadline=None)
@given(BOOKS | ANYTHING, CHANGES, st.floats(0.7, 3))
def test_any_json_is_a_notebook_or_one_line_and_only_read(
    tmp_path_factory: pytest.TempPathFactory, book: Any, changes: list[tuple[float, bytes]], kept: float
) -> None:
    path = tmp_path_factory.getbasetemp() / "hw.ipynb"
    path.write_bytes(
        changed(json.dumps(book).encode("utf-8", "surrogatepass"), changes if kept < 2 else [], kept)
    )
    tried(path)
