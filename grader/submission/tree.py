"""The files of a folder that may matter, read once, with every limit kept."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO

from grader.core.errors import InputError, MachineError, of_the_machine
from grader.core.text import printable

from .copies import bare

__all__ = [
    "Tree",
    "TreeBuilder",
    "is_pointer",
    "passed_by",
    "passed_over",
    "read_file",
    "read_folder",
    "refused",
    "shown",
    "size_limit",
]

MIB = 1 << 20  # bytes
PYTHON_BYTES = 1 * MIB  # one .py file
NOTEBOOK_BYTES = 50 * MIB  # one notebook, its outputs among them
ARCHIVE_BYTES = 50 * MIB  # an archive, packed
TOTAL_BYTES = 50 * MIB  # an archive unpacked; the Python files of a folder together; its notebooks together
FOLDER_ENTRIES = 20_000  # names in a folder, sub-folders included
FOLDER_DEPTH = 8  # folders inside one another
PYTHON_FILES = 500
NAME_CHARACTERS = 200  # of a path, when shown

# names that begin with a dot are passed by too
NOT_READ = frozenset({"__MACOSX", "__pycache__", "venv", "node_modules"})
A_LINK = "a link, not the file itself"
A_DEVICE = "a pipe or a device, not a file"
A_POINTER = "a Git LFS pointer, not the file itself; run `git lfs pull` and give it again"
POINTER = b"version https://git-lfs.github.com/spec/v"
CLEAR = "clear the notebook's outputs and save it again"
SMALLER = "give only the lesson's files, without data, environments and .git"


@dataclass(frozen=True, slots=True)
class Tree:
    """Files by their path with slashes: those read, those that could not be and why, other names."""

    files: Mapping[str, bytes]  # .py and .ipynb
    faults: Mapping[str, str]
    folders: frozenset[str]
    others: tuple[str, ...]

    def top(self, paths: Iterable[str]) -> list[str]:
        """Those of the paths that lie in no sub-folder, sorted."""
        return sorted(path for path in paths if "/" not in path)

    def within(self, folder: str) -> Tree:
        """The tree below one of its folders."""
        start = f"{folder}/"

        def below(paths: Iterable[str]) -> Iterator[str]:
            return (path.removeprefix(start) for path in paths if path.startswith(start))

        return Tree(
            {path: self.files[start + path] for path in below(self.files)},
            {path: self.faults[start + path] for path in below(self.faults)},
            frozenset(below(self.folders)),
            tuple(below(self.others)),
        )


@dataclass(slots=True)
class TreeBuilder:
    """A tree being read; `place` is what it is read from, every refusal is an InputError that names it."""

    place: str
    files: dict[str, bytes] = field(default_factory=dict)
    faults: dict[str, str] = field(default_factory=dict)
    folders: set[str] = field(default_factory=set)
    others: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    _spent: dict[int, int] = field(default_factory=dict)

    def folder(self, path: str) -> None:
        """Note a folder, and those it lies in."""
        parts = path.split("/")
        if len(parts) > FOLDER_DEPTH:
            raise InputError(f"{self.place}: too large: folders more than {FOLDER_DEPTH} deep; {SMALLER}")
        self.folders.update("/".join(parts[:end]) for end in range(1, len(parts) + 1))

    def file(self, path: str, data: bytes) -> None:
        """Keep a file; one over its limit becomes a fault, the last of one name counts."""
        if "/" in path:
            self.folder(path.rpartition("/")[0])
        limit = size_limit(path)
        if limit is None:
            self.others.append(path)
            return
        self.faults.pop(path, None)
        self.files.pop(path, None)
        self._spent[limit] = self._spent.get(limit, 0) + len(data)
        if len(data) > limit:
            then = f"; {CLEAR}" if limit == NOTEBOOK_BYTES else ""
            self.faults[path] = f"larger than {limit // MIB} MiB{then}"
        elif is_pointer(data):
            self.faults[path] = A_POINTER
        elif self._spent[limit] > TOTAL_BYTES and limit == PYTHON_BYTES:
            raise InputError(f"{self.place}: too large: over {TOTAL_BYTES // MIB} MiB of Python; {SMALLER}")
        elif self._spent[limit] > TOTAL_BYTES:
            together = f"over {TOTAL_BYTES // MIB} MiB together"
            self.faults[path] = f"one of many notebooks, {together}; {CLEAR}"
        else:
            self.files[path] = data
        if sum(name.lower().endswith(".py") for name in self.files) > PYTHON_FILES:
            raise InputError(f"{self.place}: too large: more than {PYTHON_FILES} Python files; {SMALLER}")

    def done(self) -> Tree:
        """What was read."""
        return Tree(self.files, self.faults, frozenset(self.folders), tuple(self.others))


def shown(path: str) -> str:
    """A path as it may be shown: printable, not too long."""
    return printable(path, NAME_CHARACTERS)


def passed_over(path: str, reason: str) -> str:
    """The warning that something was not read."""
    return f"{shown(path)} was passed over: {reason}"


def is_pointer(data: bytes) -> bool:
    """Whether these bytes only say where Git LFS keeps a file."""
    return data.startswith(POINTER) and len(data) < 1024


def size_limit(path: str) -> int | None:
    """How many bytes a file of this name may have; None when it is not read at all."""
    return {".py": PYTHON_BYTES, ".ipynb": NOTEBOOK_BYTES}.get(PurePosixPath(bare(path)).suffix.lower())


def passed_by(path: str) -> bool:
    """Whether a path lies under a name that is never read: dot entries, caches, environments."""
    return any(part in NOT_READ or part.startswith(".") for part in path.split("/"))


def read_file(path: Path, limit: int) -> bytes:
    """At most limit + 1 bytes of a regular file. OSError, or ValueError for a link or a device."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        if path.is_symlink():
            raise ValueError(A_LINK) from error
        if error.errno == errno.ENXIO:  # a socket
            raise ValueError(A_DEVICE) from error
        raise
    with _owned(handle) as stream:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise ValueError(A_DEVICE)
        return stream.read(limit + 1)


def _owned(handle: int) -> IO[bytes]:
    """The descriptor as a stream that closes it; closed too where there can be no stream."""
    try:
        return os.fdopen(handle, "rb")
    except BaseException:
        os.close(handle)
        raise


def read_folder(root: Path, place: str) -> tuple[Tree, tuple[str, ...]]:
    """The tree of a folder, and warnings that name what was passed over. InputError beyond a limit."""
    builder = TreeBuilder(place)
    seen = 0
    waiting = [("", root)]
    while waiting:
        prefix, folder = waiting.pop()
        try:
            with os.scandir(folder) as listing:
                entries = sorted(listing, key=lambda entry: entry.name)
        except OSError as error:
            if not prefix or of_the_machine(error):
                raise refused(
                    error, f"{place}/{shown(prefix)}".rstrip("/"), "make the folder readable"
                ) from error
            builder.warnings.append(passed_over(prefix, _reason(error)))
            continue
        seen += len(entries)
        if seen > FOLDER_ENTRIES:
            raise InputError(f"{place}: too large: more than {FOLDER_ENTRIES:,} entries; {SMALLER}")
        for entry in entries:
            if passed_by(entry.name):
                continue
            path = prefix + entry.name
            if entry.is_dir(follow_symlinks=False):
                builder.folder(path)
                waiting.append((f"{path}/", Path(entry.path)))
            else:
                _take(builder, path, entry)
    return builder.done(), tuple(builder.warnings)


def _take(builder: TreeBuilder, path: str, entry: os.DirEntry[str]) -> None:
    limit = size_limit(path)
    if limit is None:
        if entry.is_symlink():
            builder.warnings.append(passed_over(path, A_LINK))
        builder.others.append(path)
        return
    try:
        builder.file(path, read_file(Path(entry.path), limit))
    except OSError as error:
        # Nobody has read it, so nobody may say that it is wrong.
        raise refused(error, f"{builder.place}/{shown(path)}", "make it readable") from error
    except ValueError as error:
        builder.faults[path] = str(error)


def refused(error: OSError, place: str, then: str) -> InputError | MachineError:
    """That something of a submission cannot be opened, by whose fault it is: the file's, or the machine's."""
    if of_the_machine(error):
        return MachineError(f"{place}: {_reason(error)}; try again")
    return InputError(f"{place}: {_reason(error)}; {then}")


def _reason(error: OSError) -> str:
    return f"it cannot be opened ({error.strerror or 'no reason given'})"
