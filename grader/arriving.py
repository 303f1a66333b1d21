"""What comes home from a group of probes: frames as they arrive, and how much of them is kept."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass, field

from .worker.wire import BODY_LIMIT, HEAD_LIMIT, LENGTHS, WireError, lengths, unpack

FRAMES = 500  # of one group of a learner's; more are not even looked at
GROUP_BYTES = 48 * 2**20  # of one group's frames, likewise: it all has to be kept until it is judged
HEAD_BYTES = 512 * 2**10  # of one answer's head: decoded, it takes many times as much
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
    end: tuple[str, str] | None = None
    flooded: bool = False

    def add(self, frame: bytes | None) -> None:
        """Keep one more frame; None stands for one that was too long to keep."""
        self.size += len(frame or b"")
        self.flooded = self.flooded or self.size > self.most_bytes or len(self.frames) >= self.most_frames
        if frame is None or self.flooded:
            self.flooded = True
        else:
            self.frames.append(inner(frame))

    def group(self, cut: str) -> Group:
        """What came of it; `cut` says why, where it has no end of its own."""
        how, what = self.end or (cut, "")
        return Group(tuple(self.frames), "protocol" if self.flooded and how == "done" else how, what)


def inner(frame: bytes) -> Mapping[str, object]:
    """A guest's frame; an empty one stands for what is none."""
    try:
        head_size, body_size = lengths(frame[: LENGTHS.size])
        start = LENGTHS.size + head_size
        if head_size > HEAD_BYTES or len(frame) != start + body_size:
            return {}
        return unpack(frame[LENGTHS.size : start], frame[start:])
    except (WireError, ValueError, ArithmeticError, struct.error):
        return {}
