"""Reading and writing pipes to the last byte, with nothing held back in a buffer that a fork would copy."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Mapping
from contextlib import suppress

from .wire import LENGTHS, REQUEST_BLOBS, REQUEST_HEAD, lengths, pack, unpack

ROOM = 2**20  # bytes that a pipe should take before its writer has to wait


def roomy_pipe() -> tuple[int, int]:
    """A pipe that takes a whole letter at once, where the system lets it."""
    read, write = os.pipe()
    with suppress(OSError, AttributeError):
        fcntl.fcntl(write, fcntl.F_SETPIPE_SZ, ROOM)
    return read, write


def read_frame(pipe: int) -> dict[str, object] | None:
    """The next frame of the grader's own; None when there is none any more. Raises EOFError within one."""
    first = os.read(pipe, LENGTHS.size)
    if not first:
        return None
    head, body = lengths(first + _exactly(pipe, LENGTHS.size - len(first)), REQUEST_HEAD)
    return unpack(_exactly(pipe, head), _exactly(pipe, body), REQUEST_BLOBS)


def _exactly(pipe: int, size: int) -> bytes:
    pieces = []
    while size:
        piece = os.read(pipe, min(size, ROOM))
        if not piece:
            raise EOFError("the pipe ended within a frame")
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)


def hand_on(source: int, target: int | None, size: int) -> None:
    """Move so many bytes from one pipe to another, or nowhere, and leave no trace of them in this process.

    A target whose reader has gone gets no more. Raises EOFError when there are less.
    """
    view = memoryview(bytearray(min(size, ROOM)))
    while size:
        count = os.readv(source, [view[:size]])
        if not count:
            raise EOFError("the pipe ended within a letter")
        if target is not None:
            try:
                _all_of(target, view[:count])
            except BrokenPipeError:
                target = None
        view[:count] = bytes(count)
        size -= count


def send(pipe: int, head: Mapping[str, object]) -> None:
    """Write one frame."""
    write_all(pipe, pack(head))


def write_all(pipe: int, data: bytes) -> None:
    """Write all of it."""
    _all_of(pipe, memoryview(data))


def _all_of(pipe: int, view: memoryview) -> None:
    while view:
        view = view[os.write(pipe, view) :]
