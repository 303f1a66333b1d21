"""Writes a file whole or not at all."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterable
from pathlib import Path

from .errors import GraderError, InputError, MachineError, of_the_machine

PREFIX = ".grader-"


def check_places(paths: Iterable[Path]) -> None:
    """Find out before any work whether these files can be written. Raises InputError, MachineError."""
    seen: set[Path] = set()
    for path in paths:
        place = _real(path)
        if place in seen:
            raise InputError(f"{path}: two outputs would go into one file; give each its own")
        seen.add(place)
        plain = _is_plain(place)
        if place.is_dir():
            raise InputError(f"{path}: it is a folder; give a file's name in it")
        if plain:
            handle, name = _beside(path, place)
            try:
                os.close(handle)
            finally:
                _remove(name)
        elif not os.access(place, os.W_OK):
            raise InputError(f"{path}: cannot be written (Permission denied); choose another place")


def write_text(path: Path, text: str) -> None:
    """Write UTF-8 text, whole or not at all. Raises InputError, MachineError when that cannot be done."""
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: Path, data: bytes) -> None:
    """Write to a temporary name beside `path`, then rename. Raises InputError, MachineError when that cannot be done.

    A link stays a link, an existing file keeps its mode; a device or a pipe is written to.
    """
    place = _real(path)
    if not _is_plain(place):
        try:
            place.write_bytes(data)
        except OSError as error:
            raise _refusal(path, error) from None
        return
    handle, name = _beside(path, place)
    try:
        try:
            view = memoryview(data)
            while view:
                view = view[os.write(handle, view) :]
            os.fsync(handle)
        finally:
            os.close(handle)
        Path(name).chmod(_mode(place))
        Path(name).replace(place)
    except BaseException as error:  # an interrupt, too, leaves nothing beside the file
        _remove(name)
        if isinstance(error, OSError):
            raise _refusal(path, error, "nothing was changed") from None
        raise


def _remove(name: str) -> None:
    """Remove a temporary file; what is said is why it was not needed, never that it could not be removed."""
    for _ in range(2):  # a disk that hesitates once
        try:
            Path(name).unlink(missing_ok=True)
        except (OSError, MemoryError):
            continue
        return


def _refusal(path: Path, error: OSError, then: str = "choose another place") -> GraderError:
    """That a file cannot be written, by whose fault it is: the place's, or the machine's."""
    kind = MachineError if of_the_machine(error) else InputError
    return kind(f"{path}: cannot be written ({error.strerror or error}); {then}")


def _real(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError, ValueError) as error:
        if isinstance(error, OSError) and of_the_machine(error):
            raise _refusal(path, error) from None
        raise InputError(f"{path}: no file can have such a path; choose another place") from None


def _is_plain(place: Path) -> bool:
    """Whether there is a regular file, or nothing yet: never replace a device by a file."""
    try:
        return place.is_file() or not place.exists()
    except OSError as error:
        raise _refusal(place, error) from None


def _beside(path: Path, place: Path) -> tuple[int, str]:
    try:
        return tempfile.mkstemp(prefix=PREFIX, dir=place.parent)
    except OSError as error:
        raise _refusal(path, error) from None


def _mode(place: Path) -> int:
    """An existing file's mode, or that of a new one."""
    try:
        return stat.S_IMODE(place.stat().st_mode)
    except OSError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask
