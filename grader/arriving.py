"""What comes home from a group of probes: frames as they arrive, and how much of them is kept."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from .worker.wire import BODY_LIMIT, HEAD_LIMIT, LENGTHS, WireError, lengths, unpack

FRAMES = 500  # of one group of a learner's; more are not even looked at
GROUP_BYTES = 48 * 2**20  # of one group's frames, likewise: it all has to be kept until it is judged
HEAD_BYTES = 512 * 2**10  # of one answer's head: decoded, it takes many times as much
GROUP_HEADS = 8 * 2**20  # of all heads of a group
GROUP_VALUES = 400_000  # in all heads of a group: an empty list is two bytes there and 70 here
LONGEST = HEAD_LIMIT + BODY_LIMIT + 2**10  # of a frame in its envelope


@dataclass(frozen=True, slots=True)
class Group:
    """The frames one group of probes gave, in order, and how it ended."""

    frames: tuple[Mapping[str, object], ...]
    how: str
    what: str


@dataclass(slots=True)
class Arriving:
    """A group's frames so far; a group that sends too much is cut off there."""

    most_frames: float
    most_bytes: float
    frames: list[Mapping[str, object]] = field(default_factory=list)
    size: int = 0
    heads: int = 0
    values: int = 0
    end: tuple[str, str] | None = None
    flooded: bool = False

    def add(self, frame: bytes | None) -> None:
        """Keep one more frame; None stands for one that was too long to keep."""
        self.size += len(frame or b"")
        head = b"" if frame is None else head_of(frame)
        self.heads += len(head)
        self.values += sum(map(head.count, (b",", b"[", b"{")))
        self.flooded = self.flooded or self.size > self.most_bytes or len(self.frames) >= self.most_frames
        if self.most_bytes < math.inf:  # a guest's: our own may say more
            self.flooded = self.flooded or self.heads > GROUP_HEADS or self.values > GROUP_VALUES
        if frame is None or self.flooded:
            self.flooded = True
        else:
            self.frames.append(inner(frame))

    def group(self, cut: str) -> Group:
        """What came of it; `cut` says why, where it has no end of its own."""
        how, what = self.end or (cut, "")
        return Group(tuple(self.frames), "protocol" if self.flooded and how == "done" else how, what)


def head_of(frame: bytes) -> bytes:
    """The head of a guest's frame, not read yet; b"" where the lengths are not the frame's own."""
    try:
        head_size, body_size = lengths(frame[: LENGTHS.size])
    except WireError:
        return b""
    whole = len(frame) == LENGTHS.size + head_size + body_size
    return frame[LENGTHS.size : LENGTHS.size + head_size] if whole and head_size <= HEAD_BYTES else b""


def inner(frame: bytes) -> Mapping[str, object]:
    """A guest's frame; an empty one stands for what is none."""
    head = head_of(frame)
    try:
        return unpack(head, frame[LENGTHS.size + len(head) :])
    except WireError:
        return {}
