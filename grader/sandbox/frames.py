"""What comes home from a group of probes: frames as they arrive, and how much of them is kept."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from grader.worker.wire import BODY_LIMIT, HEAD_LIMIT, LENGTHS, WireError, lengths, unpack

from .posting import Due

GROUP_BYTES = 48 * 2**20  # of one group's frames: it all has to be kept until it is judged
HEAD_BYTES = 512 * 2**10  # of one answer's head: decoded, it takes many times as much
GROUP_HEADS = 8 * 2**20  # of all heads of a group
GROUP_VALUES = 400_000  # in all heads of a group: an empty list is two bytes there and 70 here
LONGEST = HEAD_LIMIT + BODY_LIMIT + 2**10  # of a frame in its envelope


@dataclass(frozen=True, slots=True)
class Group:
    """The frames one group of probes gave, in order, how it ended, and what it was at: "start", "import", a probe."""

    frames: tuple[Mapping[str, object], ...]
    how: str
    what: str


@dataclass(slots=True)
class Arriving:
    """A group's frames so far; a group that sends too much, or another frame than is due, is cut off there."""

    due: Sequence[Due]
    most_bytes: float
    frames: list[Mapping[str, object]] = field(default_factory=list)
    size: int = 0
    heads: int = 0
    values: int = 0
    end: str | None = None
    begun: bool = True  # its process had been set up when it ended: known without asking it
    flooded: bool = False
    unasked: bool = False  # it sent what was not due

    def add(self, frame: bytes | None) -> None:
        """Keep one more frame; None stands for one that was too long to keep."""
        self.size += len(frame or b"")
        head = b"" if frame is None else head_of(frame)
        self.heads += len(head)
        self.values += sum(map(head.count, (b",", b"[", b"{")))
        self.flooded = self.flooded or self.size > self.most_bytes
        if self.most_bytes < math.inf:  # a guest's: our own may say more
            self.flooded = self.flooded or self.heads > GROUP_HEADS or self.values > GROUP_VALUES
        if frame is None or self.flooded:
            self.flooded = True
        else:
            self._keep(inner(frame))

    def _keep(self, head: Mapping[str, object]) -> None:
        """What a frame is about is known from its place: what it says of that itself does not count."""
        due = self.due[len(self.frames)] if len(self.frames) < len(self.due) else None
        self.unasked = self.unasked or due is None or head.get("kind") != due.kind
        if due is not None and not self.unasked:
            self.frames.append({**head, "probe": due.probe, "variant": due.variant})

    def group(self, cut: str) -> Group:
        """What came of it; `cut` says why, where it has no end of its own."""
        frames = tuple(self.frames)
        if self.end is None:
            return Group(frames, cut, "")
        if not self.begun:
            return Group(frames, self.end, "start")
        spoilt = self.unasked or (self.flooded and self.end == "done")
        at = self.due[len(frames)] if len(frames) < len(self.due) else None
        what = "" if at is None else "import" if at.kind == "loaded" else at.probe
        return Group(frames, "protocol" if spoilt else self.end, what)


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
