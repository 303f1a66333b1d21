"""How questions leave for a worker: what the zygote needs to know of each group, and letters that only its child reads.

Which question an answer belongs to is never asked of the guest: its frames are due in an order that is known here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from grader.worker.wire import REQUEST_BLOBS, REQUEST_HEAD, pack


class Due(NamedTuple):
    """A frame that a child has to send: what it is, and what it is about."""

    kind: str  # "loaded", "answer" or "done"
    probe: str = ""
    variant: str = ""


def due(group: Mapping[str, object]) -> tuple[Due, ...]:
    """The frames that a group's child sends, in this order and no other."""
    frames: list[Due] = []
    for part in _parts(group):
        for variant in _rows(group["variants"]):
            key = str(variant["key"])
            frames.append(Due("loaded", variant=key))
            frames += [Due("answer", str(letter["id"]), key) for letter in _rows(part["probes"])]
    return (*frames, Due("done"))


def posted(request: Mapping[str, object], uid: int | None) -> bytes:
    """A request as a worker reads it: what all share and how each group is to be run, then a letter for each.

    The zygote reads the first frame and hands each letter on, unread, to the child that it is for.
    """
    shared, groups = request["shared"], _rows(request["groups"])
    assert isinstance(shared, Mapping)
    numbers = {str(group["group"]): number for number, group in enumerate(groups)}
    letters = [pack(_letter(group), REQUEST_BLOBS) for group in groups]
    plans = [
        {
            "after": numbers.get(str(group["after"]), -1),
            "turn_seconds": group["turn_seconds"],
            "plan": [len(_rows(part["probes"])) for part in _parts(group) for _ in _rows(group["variants"])],
            "mistakes": any(variant["mistakes"] for variant in _rows(group["variants"])),
            "size": len(letter),
        }
        for group, letter in zip(groups, letters, strict=True)
    ]
    head = {
        "kind": "run",
        "shared": {**shared, "uid": uid},
        "groups": plans,
        "side_by_side": request["side_by_side"],
    }
    return b"".join([pack(head, REQUEST_BLOBS, REQUEST_HEAD), *letters])


def _letter(group: Mapping[str, object]) -> dict[str, object]:
    """What a child reads: neither its step's name nor any question's, which would tell why it is asked."""
    parts = [
        {**part, "probes": [_nameless(letter) for letter in _rows(part["probes"])]} for part in _parts(group)
    ]
    return {"parts": parts, "variants": group["variants"]}


def _parts(group: Mapping[str, object]) -> list[Mapping[str, object]]:
    first = {key: group[key] for key in ("module", "provides", "forbidden", "probes")}
    return [first, *_rows(group["more"])]


def _nameless(letter: Mapping[str, object]) -> dict[str, object]:
    return {key: value for key, value in letter.items() if key != "id"}


def _rows(value: object) -> Sequence[Mapping[str, object]]:
    assert isinstance(value, list | tuple)
    return value
