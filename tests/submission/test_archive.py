from __future__ import annotations

import gzip
import io
import random
import stat
import tarfile
import warnings
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.core.errors import InputError
from grader.submission import archive as archive_module
from grader.submission.archive import archive_kind, entry_path
from grader.submission.reader import Submission, read_submission
from tests.tools.tiny_lesson import LESSON, holds

FILES = "project.py, attend.py, module.py, cross.py"
PROJECT = b"def project(x, w, num_heads):\n    return x\n"
ATTEND = b"def attend(q, k, v, mask=None):\n    return q, k\n"


def zipped(*entries: tuple[str | zipfile.ZipInfo, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of two entries with one name
        for name, data in entries:
            archive.writestr(name, data)
    return packed.getvalue()


def member(name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, link
    return info


def tarred(*entries: tuple[str | tarfile.TarInfo, bytes], mode: str = "w:gz") -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode=mode) as archive:  # type: ignore[call-overload]
        for name, data in entries:
            info = member(name) if isinstance(name, str) else name
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return packed.getvalue()


def special(name: str, mode: int) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.create_system, info.external_attr = 3, mode << 16
    return info


def submitted(folder: Path, data: bytes, name: str = "hw.zip") -> Submission:
    path = folder / name
    path.write_bytes(data)
    return read_submission(path, LESSON)


def refusal(folder: Path, data: bytes, name: str = "hw.zip") -> str:
    with pytest.raises(InputError) as caught:
        submitted(folder, data, name)
    said = str(caught.value)
    assert said.startswith(f"{folder / name}: ")
    assert "\n" not in said
    return said.removeprefix(f"{folder / name}: ")


def test_a_folder_and_its_archives_are_the_same_submission(tmp_path: Path) -> None:
    files = {"project.py": PROJECT, "helpers/shapes.py": b"H = 2\n", "notes.txt": b"hello"}
    for name, data in files.items():
        (tmp_path / "hw" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "hw" / name).write_bytes(data)
    folder = read_submission(tmp_path / "hw", LESSON)
    packings = {
        "hw.zip": zipped(*files.items()),
        "HW.ZIP": zipped(*((f"hw/{name}", data) for name, data in files.items()), method=zipfile.ZIP_STORED),
        "hw.tar.gz": tarred(*files.items()),
        "hw.tgz": tarred(*((f"./hw/{name}", data) for name, data in files.items())),
        "unpacked-by-the-browser.tar.gz": tarred(*files.items(), mode="w"),
    }
    for name, data in packings.items():
        read = submitted(tmp_path, data, name)
        assert (read.name, read.form, read.warnings) == (name, "folder", ())
        assert (read.modules, read.sha256) == (folder.modules, folder.sha256)


def test_the_bytes_decide_when_the_suffix_is_the_other_kinds(tmp_path: Path) -> None:
    assert submitted(tmp_path, tarred(("project.py", PROJECT)), "hw.zip").form == "folder"
    assert submitted(tmp_path, zipped(("project.py", PROJECT)), "hw.tgz").form == "folder"


def test_nested_single_folders_are_entered(tmp_path: Path) -> None:
    read = submitted(
        tmp_path, zipped(("a/b/c/project.py", PROJECT), ("a/readme.md", b""), ("__MACOSX/a/x.py", b""))
    )
    assert [module.path for module in read.modules] == ["project.py"]


def test_an_archive_of_one_file_is_that_file(tmp_path: Path) -> None:
    read = submitted(tmp_path, zipped(("answers/all of it.py", PROJECT + ATTEND)))
    assert (read.form, read.name) == ("file", "hw.zip")
    assert [(module.name, module.path) for module in read.modules] == [("all_of_it", "all of it.py")]


@pytest.mark.parametrize("pack", [zipped, tarred])
def test_of_two_entries_with_one_name_the_last_counts(tmp_path: Path, pack: type) -> None:
    data = pack(("project.py", b"first = 1"), ("./project.py", b"second = 2"), ("attend.py", ATTEND))  # type: ignore[call-arg]
    read = submitted(tmp_path, data)
    assert {module.path: module.cells[0].text for module in read.modules}["project.py"] == "second = 2"


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("/etc/attend.py", "its path is absolute"),
        ("\\attend.py", "its path is absolute"),
        ("C:/attend.py", "its path names a drive"),
        ("c:attend.py", "its path names a drive"),
        ("../attend.py", "its path climbs out"),
        ("a/../../attend.py", "its path climbs out"),
        ("..\\attend.py", "its path climbs out"),
    ],
)
@pytest.mark.parametrize("pack", [zipped, tarred])
def test_an_entry_that_leads_out_is_skipped_and_named(
    tmp_path: Path, pack: type, name: str, reason: str
) -> None:
    read = submitted(tmp_path, pack((name, ATTEND), ("project.py", PROJECT)))  # type: ignore[call-arg]
    assert [module.path for module in read.modules] == ["project.py"]
    assert read.warnings == (f"{name} was passed over: {reason}",)


def test_backslashes_are_folders() -> None:
    assert entry_path("a\\b\\project.py") == ("a/b/project.py", "")
    assert entry_path("./a//b/./project.py") == ("a/b/project.py", "")
    assert entry_path("./") == ("", "")
    assert entry_path("a\0b.py") == ("", "its path holds a zero byte")


@pytest.mark.parametrize(
    ("mode", "reason"),
    [
        (stat.S_IFLNK | 0o777, "a link, not the file itself"),
        (stat.S_IFIFO | 0o644, "a pipe or a device, not a file"),
        (stat.S_IFCHR | 0o644, "a pipe or a device, not a file"),
    ],
)
def test_links_and_devices_in_a_zip_are_skipped(tmp_path: Path, mode: int, reason: str) -> None:
    read = submitted(tmp_path, zipped((special("attend.py", mode), b"/etc/passwd"), ("project.py", PROJECT)))
    assert read.warnings == (f"attend.py was passed over: {reason}",)
    assert [module.path for module in read.modules] == ["project.py"]


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        (tarfile.SYMTYPE, "a link, not the file itself"),
        (tarfile.LNKTYPE, "a link, not the file itself"),
        (tarfile.FIFOTYPE, "a pipe or a device, not a file"),
        (tarfile.CHRTYPE, "a pipe or a device, not a file"),
        (tarfile.BLKTYPE, "a pipe or a device, not a file"),
    ],
)
def test_links_and_devices_in_a_tar_are_skipped(tmp_path: Path, kind: bytes, reason: str) -> None:
    data = tarred(("project.py", PROJECT), (member("attend.py", kind, "project.py"), b""))
    read = submitted(tmp_path, data, "hw.tgz")
    assert read.warnings == (f"attend.py was passed over: {reason}",)
    assert [module.path for module in read.modules] == ["project.py"]


def encrypted(data: bytes, name: bytes) -> bytes:
    """The zip with the encryption bit of one entry set, in both of its headers."""
    changed = bytearray(data)
    for magic, flags, names in ((b"PK\x03\x04", 6, 30), (b"PK\x01\x02", 8, 46)):
        place = data.find(magic)
        while place >= 0:
            if data[place + names :].startswith(name):
                changed[place + flags] |= 1
            place = data.find(magic, place + 4)
    return bytes(changed)


def test_an_encrypted_entry_is_skipped(tmp_path: Path) -> None:
    read = submitted(
        tmp_path, encrypted(zipped(("attend.py", ATTEND), ("project.py", PROJECT)), b"attend.py")
    )
    assert read.warnings == ("attend.py was passed over: it is encrypted",)
    assert [module.path for module in read.modules] == ["project.py"]


def test_a_rare_packing_is_skipped(tmp_path: Path) -> None:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("attend.py", ATTEND, zipfile.ZIP_LZMA)
        archive.writestr("project.py", PROJECT)
    read = submitted(tmp_path, data.getvalue())
    reason = "it is packed in a rare way; make the zip with ordinary compression"
    assert read.warnings == (f"attend.py was passed over: {reason}",)


def test_nothing_usable_left_is_an_error_that_says_why(tmp_path: Path) -> None:
    said = refusal(tmp_path, zipped(("../project.py", PROJECT)))
    assert said == (
        f"nothing of the lesson in it: looked for {FILES}; found no file "
        "(../project.py was passed over: its path climbs out)"
    )
    assert refusal(tmp_path, zipped()) == "it is empty; put the lesson's files in it"
    assert refusal(tmp_path, zipped(("__MACOSX/project.py", PROJECT), (".git/x.py", b""))).startswith(
        "it is empty"
    )


def test_an_archive_inside_is_not_opened(tmp_path: Path) -> None:
    said = refusal(tmp_path, zipped(("inner.zip", zipped(("project.py", PROJECT)))))
    assert said == f"nothing of the lesson in it: looked for {FILES}; found inner.zip"


def test_names_are_shown_printable(tmp_path: Path) -> None:
    read = submitted(tmp_path, zipped(("../\x1b[31m\u202e" + "x" * 300, b""), ("project.py", PROJECT)))
    (said,) = read.warnings
    assert said.startswith("../\\x1b[31m\\u202exxx")
    assert said.endswith("x… was passed over: its path climbs out")
    assert len(said.partition(" was")[0]) == 200


def test_many_warnings_are_counted_not_listed(tmp_path: Path) -> None:
    read = submitted(
        tmp_path, zipped(*((f"../{number}.py", b"") for number in range(50)), ("project.py", PROJECT))
    )
    assert len(read.warnings) == 21
    assert read.warnings[-1] == "and 30 more like these"


@pytest.mark.parametrize("place", [0, 40, 60, -30, -4])
def test_a_damaged_archive_is_said_in_one_line(tmp_path: Path, place: int) -> None:
    data = bytearray(tarred(("project.py", PROJECT)))
    data[place] ^= 0xFF
    said = refusal(tmp_path, bytes(data), "hw.tar.gz")
    assert said.startswith("not a readable archive (")
    assert said.endswith("); make the archive again")


def test_a_crc_that_does_not_fit_is_damage(tmp_path: Path) -> None:
    data = zipped(("project.py", PROJECT), method=zipfile.ZIP_STORED).replace(b"return x", b"return y", 1)
    assert (
        refusal(tmp_path, data)
        == "not a readable archive (Bad CRC-32 for file 'project.py'); make the archive again"
    )


@pytest.mark.parametrize("name", ["hw.zip", "hw.tar.gz"])
@pytest.mark.parametrize("data", [b"", b"nonsense", b"PK\x03\x04 cut off", b"\x1f\x8b\x08", b"\0" * 3])
def test_what_is_no_archive_is_said(tmp_path: Path, data: bytes, name: str) -> None:
    assert refusal(tmp_path, data, name).startswith("not a readable archive (")


def test_a_cut_off_tar_is_damage(tmp_path: Path) -> None:
    whole = tarred(("project.py", PROJECT), ("attend.py", ATTEND * 100))
    assert "Compressed file ended" in refusal(tmp_path, whole[:-20], "hw.tgz")


def test_bombs_are_refused_by_name(tmp_path: Path) -> None:
    zeros = b"\0" * (2 << 20)
    said = "unpacks to more than 200 times its packed size, as an archive bomb does"
    assert (
        refusal(tmp_path, zipped(("project.py", PROJECT), ("data/zeros", zeros)))
        == f"too large: data/zeros {said}"
    )
    assert refusal(tmp_path, tarred(("zeros", zeros)), "hw.tgz") == f"too large: it {said}"


def test_a_small_file_may_be_very_regular(tmp_path: Path) -> None:
    assert submitted(tmp_path, zipped(("project.py", b"#" * (1 << 19) + b"\n" + PROJECT))).problems == {}


def test_more_than_the_limits_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    advice = "give only the lesson's files, without data, environments and .git"
    many = [(f"{number}.txt", b"") for number in range(2_001)]
    for data, name in ((zipped(*many), "hw.zip"), (tarred(*many), "hw.tgz")):
        assert refusal(tmp_path, data, name) == f"too large: more than 2,000 entries; {advice}"
    monkeypatch.setattr(archive_module, "TOTAL_BYTES", 1_000)
    large = [(f"{number}.txt", b"x" * 300) for number in range(4)]
    for data, name in ((zipped(*large), "hw.zip"), (tarred(*large), "hw.tgz")):
        assert refusal(tmp_path, data, name) == f"too large: over 50 MiB unpacked; {advice}".replace(
            "50", "0"
        )


def test_a_tar_stream_longer_than_the_limit_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive_module, "TOTAL_BYTES", 2_000)
    monkeypatch.setattr(archive_module, "TAR_FRAME_BYTES", 2_000)
    assert refusal(tmp_path, tarred(("a.txt", b"x")), "hw.tgz").startswith("too large: over 0 MiB unpacked")


def test_a_declared_size_is_judged_before_anything_is_unpacked(tmp_path: Path) -> None:
    info = member("project.py")
    info.size = 60 << 20
    assert refusal(tmp_path, gzip.compress(info.tobuf() + b"x" * 512), "hw.tgz").startswith(
        "too large: over 50 MiB"
    )


def test_long_tar_headers_are_refused(tmp_path: Path) -> None:
    info = member("project.py")
    info.pax_headers = {"comment": "1" * 10_000}
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz", format=tarfile.PAX_FORMAT) as archive:
        archive.addfile(info)
    assert (
        refusal(tmp_path, packed.getvalue(), "hw.tgz")
        == "too large: its headers take too much room; make it again"
    )


def test_many_tar_headers_of_middling_length_are_refused(tmp_path: Path) -> None:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz", format=tarfile.PAX_FORMAT) as archive:
        for number in range(40):
            info = member(f"{number}.txt")
            info.pax_headers = {"comment": "1" * 8_000}
            archive.addfile(info)
    assert refusal(tmp_path, packed.getvalue(), "hw.tgz").startswith(
        "too large: its headers take too much room"
    )


def test_a_chain_of_tar_headers_is_damage(tmp_path: Path) -> None:
    chain = b"".join(member("x", tarfile.XHDTYPE).tobuf() for _ in range(3_000))
    assert refusal(tmp_path, chain, "hw.tgz").startswith("not a readable archive (")


def test_an_archive_larger_than_its_limit_is_refused(tmp_path: Path) -> None:
    with (tmp_path / "hw.zip").open("wb") as file:
        file.truncate((50 << 20) + 1)
    with pytest.raises(InputError, match=r"hw\.zip: too large: over 50 MiB; "):
        read_submission(tmp_path / "hw.zip", LESSON)


def test_a_step_file_over_its_limit_costs_that_step(tmp_path: Path) -> None:
    noise = b"#" + random.Random(1).randbytes(1 << 20)
    read = submitted(tmp_path, zipped(("project.py", noise), ("attend.py", ATTEND)))
    assert read.problems == {"project.py": "larger than 1 MiB"}
    assert [module.path for module in read.modules] == ["attend.py"]


def test_nothing_is_written(tmp_path: Path) -> None:
    submitted(tmp_path, zipped(("../out.py", b""), ("project.py", PROJECT)))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["hw.zip"]
    assert not (tmp_path.parent / "out.py").exists()


@pytest.mark.parametrize(
    ("name", "kind"),
    [("a.zip", "zip"), ("a.TAR.GZ", "tar"), ("a.tgz", "tar"), ("a.gz", None), ("a.tar", None), ("zip", None)],
)
def test_the_kind_is_read_off_the_suffix(name: str, kind: str | None) -> None:
    assert archive_kind(name) == kind


NAMES = st.sampled_from(
    [
        "project.py",
        "a/project.py",
        "attend.py",
        "x.ipynb",
        "../x.py",
        "a",
        "a/",
        "project.py/x",
        "/x.py",
        "C:\\x.py",
        "é.py",
        "\n.py",
    ]
)
BYTES = st.sampled_from(
    [PROJECT, ATTEND, b"", b"def project(", b"\xff\xfe", b"\0", b'{"cells": []}', b"x" * 3000]
)
KINDS = st.sampled_from(
    [tarfile.REGTYPE, tarfile.SYMTYPE, tarfile.DIRTYPE, tarfile.XHDTYPE, tarfile.GNUTYPE_SPARSE]
)


@settings(derandomize=True, max_examples=300, deadline=None)
@given(
    st.lists(st.tuples(NAMES, BYTES, KINDS), max_size=6),
    st.sampled_from(["zip", "tar", "tar.gz"]),
    st.lists(st.tuples(st.integers(0, 4_000), st.integers(0, 255)), max_size=4),
    st.integers(0, 4_000),
)
def test_any_archive_gives_a_submission_or_one_line(
    tmp_path_factory: pytest.TempPathFactory,
    entries: list[tuple[str, bytes, bytes]],
    form: str,
    changes: list[tuple[int, int]],
    cut: int,
) -> None:
    if form == "zip":
        data = bytearray(zipped(*((name, content) for name, content, _ in entries)))
    else:
        plain = tarred(
            *((member(name, kind), content) for name, content, kind in entries),
            mode="w",
        )
        data = bytearray(plain)
    for place, value in changes:
        if place < len(data):
            data[place] = value
    damaged = bytes(data if cut > len(data) else data[: len(data) - cut // 40])
    damaged = gzip.compress(damaged) if form == "tar.gz" else damaged
    path = tmp_path_factory.getbasetemp() / ("fuzz.zip" if form == "zip" else "fuzz.tgz")
    path.write_bytes(damaged)
    assert holds(path)


@settings(derandomize=True, max_examples=200, deadline=None)
@given(st.sampled_from([b"", b"PK\x03\x04", b"PK\x05\x06", b"\x1f\x8b\x08\0"]), st.binary(max_size=400))
def test_any_bytes_give_a_submission_or_one_line(
    tmp_path_factory: pytest.TempPathFactory, magic: bytes, rest: bytes
) -> None:
    for name in ("bytes.zip", "bytes.tgz"):
        path = tmp_path_factory.getbasetemp() / name
        path.write_bytes(magic + rest)
        assert holds(path)
