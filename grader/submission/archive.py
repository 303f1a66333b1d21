"""Archives, read in memory: nothing is unpacked to a disk, nothing inside is opened as an archive again."""

from __future__ import annotations

import gzip
import io
import re
import stat
import tarfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO

from grader.core.errors import InputError
from grader.core.text import printable

from .tree import (
    A_DEVICE,
    A_LINK,
    MIB,
    SMALLER,
    TOTAL_BYTES,
    Tree,
    TreeBuilder,
    passed_by,
    passed_over,
    shown,
    size_limit,
)

__all__ = ["archive_kind", "entry_path", "read_archive"]

ENTRIES = 2_000
BOMB_RATIO = 200  # unpacked : packed
BOMB_FLOOR_BYTES = 1 * MIB  # below this a ratio says nothing
TAR_FRAME_BYTES = 16 * MIB  # what headers and padding may add to the files of a tar
LONG_HEADER_BYTES = 8 << 10  # one extended tar header: long names, times, labels
LONG_HEADERS_WORK = 1 << 30  # the squares of their lengths together: seconds
ZIP_HEADER = b"PK\x01\x02"  # begins every entry of a zip's table of contents
GZIP_MAGIC = b"\x1f\x8b"

SUFFIXES = {".zip": "zip", ".tar.gz": "tar", ".tgz": "tar"}


@dataclass(frozen=True, slots=True)
class _Entry:
    """One entry: its name as written, its size as declared, why it is not read ("" when it is)."""

    name: str
    size: int
    folder: bool
    refused: str
    source: zipfile.ZipInfo | tarfile.TarInfo


def archive_kind(name: str) -> str | None:
    """The kind of archive a file's name promises: "zip", "tar" or None."""
    return next((kind for suffix, kind in SUFFIXES.items() if name.lower().endswith(suffix)), None)


def entry_path(name: str) -> tuple[str, str]:
    """An entry's name as a path with slashes, and why it must not be read ("" when it may)."""
    slashed = name.replace("\\", "/")
    parts = [part for part in slashed.split("/") if part not in {"", "."}]
    if slashed.startswith("/"):
        return "", "its path is absolute"
    if re.match(r"[A-Za-z]:", slashed):
        return "", "its path names a drive"
    if ".." in parts:
        return "", "its path climbs out"
    if "\0" in slashed:
        return "", "its path holds a zero byte"
    return "/".join(parts), ""


def read_archive(data: bytes, kind: str, place: str) -> tuple[Tree, tuple[str, ...]]:
    """The tree inside an archive, and warnings that name the entries passed over.

    InputError, one line that begins with `place`: damaged, a bomb, or beyond a limit.
    """
    builder = TreeBuilder(place)
    try:
        if data.startswith(GZIP_MAGIC) or (kind == "tar" and not data.startswith(b"PK")):
            _read_tar(data, builder)
        else:
            _read_zip(data, builder)
    except (InputError, MemoryError):
        raise
    except Exception as error:  # damaged bytes make the libraries raise nearly anything
        said = printable(str(error), 120) or type(error).__name__
        raise InputError(f"{place}: not a readable archive ({said}); make the archive again") from error
    return builder.done(), tuple(builder.warnings)


def _read_zip(data: bytes, builder: TreeBuilder) -> None:
    if data.count(ZIP_HEADER) > ENTRIES:
        raise _too_many(builder.place)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        entries = [_zip_entry(info) for info in archive.infolist()]
        _measure(entries, builder.place)
        for entry in entries:
            info = entry.source
            if isinstance(info, zipfile.ZipInfo) and _unpacks_too_far(info.file_size, info.compress_size):
                raise _bomb(builder.place, entry.name)
        if _unpacks_too_far(sum(entry.size for entry in entries), len(data)):
            raise _bomb(builder.place, builder.place)
        for entry, path in _wanted(entries, builder):
            if isinstance(entry.source, zipfile.ZipInfo):
                with archive.open(entry.source) as stream:
                    builder.file(path, _bytes(stream, path))


def _zip_entry(info: zipfile.ZipInfo) -> _Entry:
    form = stat.S_IFMT(info.external_attr >> 16)
    refused = ""
    if form == stat.S_IFLNK:
        refused = A_LINK
    elif form not in {0, stat.S_IFREG, stat.S_IFDIR}:
        refused = A_DEVICE
    elif info.flag_bits & 0x1:
        refused = "it is encrypted"
    elif info.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
        refused = "it is packed in a rare way; make the zip with ordinary compression"
    folder = info.is_dir() or form == stat.S_IFDIR or info.filename.endswith("\\")
    return _Entry(info.filename, info.file_size, folder, refused, info)


def _read_tar(data: bytes, builder: TreeBuilder) -> None:
    plain = data
    if data.startswith(GZIP_MAGIC):  # a browser may have unpacked it and left the name
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as packed:
            plain = packed.read(TOTAL_BYTES + TAR_FRAME_BYTES + 1)
        if _unpacks_too_far(len(plain), len(data)):
            raise _bomb(builder.place, builder.place)
        if len(plain) > TOTAL_BYTES + TAR_FRAME_BYTES:
            raise _too_much(builder.place)
    header = _bounded_header(builder.place)
    with tarfile.open(fileobj=io.BytesIO(plain), mode="r:", tarinfo=header) as archive:
        entries: list[_Entry] = []
        for member in archive:
            entries.append(_tar_entry(member))
            _measure(entries[-1:], builder.place)
            if len(entries) > ENTRIES:
                raise _too_many(builder.place)
        _measure(entries, builder.place)
        for entry, path in _wanted(entries, builder):
            if isinstance(entry.source, tarfile.TarInfo):
                stream = archive.extractfile(entry.source)
                if stream is not None:
                    builder.file(path, _bytes(stream, path))


def _tar_entry(member: tarfile.TarInfo) -> _Entry:
    refused = ""
    if member.issym() or member.islnk():
        refused = A_LINK
    elif not (member.isreg() or member.isdir()):
        refused = A_DEVICE
    return _Entry(member.name, max(member.size, 0), member.isdir(), refused, member)


def _bounded_header(place: str) -> type[tarfile.TarInfo]:
    """A header class that refuses long extended headers: tarfile searches them in quadratic time."""
    extended = {tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE}
    extended |= {tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK}
    spent = 0

    class Header(tarfile.TarInfo):
        __slots__ = ()

        @classmethod
        def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Header:
            nonlocal spent
            header = super().frombuf(buf, encoding, errors)
            if header.type in extended:
                spent += header.size**2
                if header.size > LONG_HEADER_BYTES or spent > LONG_HEADERS_WORK:
                    raise InputError(f"{place}: too large: its headers take too much room; make it again")
            return header

    return Header


def _wanted(entries: list[_Entry], builder: TreeBuilder) -> Iterator[tuple[_Entry, str]]:
    """The entries to unpack, with their paths; folders and other files are noted, refused ones warned of."""
    for entry in entries:
        path, reason = entry_path(entry.name)
        if not path and not reason:
            continue
        if path and passed_by(path):
            continue
        reason = reason or entry.refused
        if reason:
            builder.warnings.append(passed_over(entry.name, reason))
        elif entry.folder:
            builder.folder(path)
        elif size_limit(path) is None:
            builder.file(path, b"")
        else:
            yield entry, path


def _bytes(stream: IO[bytes], path: str) -> bytes:
    return stream.read((size_limit(path) or 0) + 1)


def _measure(entries: list[_Entry], place: str) -> None:
    if len(entries) > ENTRIES:
        raise _too_many(place)
    if sum(entry.size for entry in entries) > TOTAL_BYTES:
        raise _too_much(place)


def _unpacks_too_far(unpacked: int, packed: int) -> bool:
    return unpacked >= BOMB_FLOOR_BYTES and unpacked > BOMB_RATIO * packed


def _bomb(place: str, name: str) -> InputError:
    what = "it" if name == place else shown(name)
    how = f"unpacks to more than {BOMB_RATIO} times its packed size"
    return InputError(f"{place}: too large: {what} {how}, as an archive bomb does")


def _too_many(place: str) -> InputError:
    return InputError(f"{place}: too large: more than {ENTRIES:,} entries; {SMALLER}")


def _too_much(place: str) -> InputError:
    return InputError(f"{place}: too large: over {TOTAL_BYTES // MIB} MiB unpacked; {SMALLER}")
