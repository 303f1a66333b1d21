"""Probes that go on in another process: what a module saves is sent home, and given to a new one elsewhere.

Only what came home reaches the second process, so what is right there has been saved. Our own reference,
which nobody doubts, answers the whole script in one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from .answers import Answer, SequenceValue, TensorValue, Value
from .probes import Array, Probe

SAVED = "/saved"  # after the id of a probe whose first half is asked


def moves(probe: Probe) -> bool:
    """Whether something is saved in its script and restored in another process."""
    return any(step["op"] == "save" for step in probe.script)


def first_half(probe: Probe) -> Probe:
    """The script up to what is saved, which is what comes home."""
    at = _saving(probe)
    script, saved = probe.script[: at + 1], str(probe.script[at]["to"])
    return replace(probe, id=probe.id + SAVED, script=script, report=(saved,), tags=frozenset(), again=False)


def second_half(probe: Probe, first: Answer) -> Probe | Answer:
    """The script from there on, given what came home; where nothing did, the first half's answer is the whole one's."""
    saved = str(probe.script[_saving(probe)]["to"])
    if first.outcome != "returned":
        return replace(first, probe=probe.id)
    pairs = dict(_pairs(first.values.get(saved)))
    sent = {f"{saved} {number}": array for number, array in enumerate(pairs.values()) if array is not None}
    names = {
        name: f"{saved} {number}" if array is not None else None
        for number, (name, array) in enumerate(pairs.items())
    }
    script = tuple(
        {**step, "from": names} if step["op"] == "restore" else step
        for step in probe.script[_saving(probe) + 1 :]
    )
    needed = set(_refs(script))
    kept = {name: array for name, array in probe.tensors.items() if name in needed}
    return replace(probe, script=script, tensors={**kept, **sent})


def _saving(probe: Probe) -> int:
    return next(number for number, step in enumerate(probe.script) if step["op"] == "save")


def _pairs(value: Value) -> Iterator[tuple[str, Array | None]]:
    """Name and values of each entry that came home; None for what is too large, or no tensor, to be sent on."""
    for item in value.items if isinstance(value, SequenceValue) else ():
        if isinstance(item, SequenceValue) and len(item.items) == 2 and isinstance(item.items[0], str):
            held = item.items[1]
            yield item.items[0], held.array if isinstance(held, TensorValue) else None


def _refs(value: object) -> Iterator[str]:
    """All names of values that a script refers to in its calls."""
    if isinstance(value, Mapping):
        if isinstance(value.get("ref"), str):
            yield str(value["ref"])
        for item in value.values():
            yield from _refs(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _refs(item)
