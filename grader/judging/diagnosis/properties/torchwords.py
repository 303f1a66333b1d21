"""Sentences of torch's in other words, their sizes in the names of the axes."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from grader.lesson.answers import Raised
from grader.lesson.probes import Probe

from .symbols import length_of

LONG = 2_000  # characters of a message that are read: its author may be a learner, and no size of torch's is longer
SHOWN = {
    "float": "float32",
    "double": "float64",
    "Half": "float16",
    "BFloat16": "bfloat16",
    "long": "int64",
    "bool": "bool",
}


@dataclass(frozen=True, slots=True)
class Crash:
    """An exception, and the probe it was raised in."""

    probe: Probe
    raised: Raised


def translated(found: Sequence[Crash]) -> str:
    """A known sentence of torch's in other words; "" where it is not known or its sizes have no names."""
    for pattern, say in _SENTENCES:
        hits = [pattern.search(crash.raised.message[:LONG]) for crash in found]
        if all(hits):
            sizes = [crash.probe.sizes for crash in found]
            return say(_Slots([hit.groups() for hit in hits if hit is not None], sizes))
    return ""


@dataclass(frozen=True, slots=True)
class _Slots:
    """The gaps of one sentence, filled as they were in each case."""

    filled: Sequence[Sequence[str | None]]
    sizes: Sequence[Mapping[str, int]]

    def text(self, place: int) -> str:
        """A gap as it was in the first case."""
        return self.filled[0][place] or ""

    def name(self, place: int) -> str:
        """The axis whose length a gap is: `Tk = 7`; the plain number where none is in every case."""
        return self._named([groups[place] or "" for groups in self.filled])

    def shape(self, place: int) -> str:
        """A list of lengths: `(B, T, h, d_k) = (2, 5, 3, 4)`."""
        rows = [re.findall(r"-?\d+", groups[place] or "") for groups in self.filled]
        if len({len(row) for row in rows}) > 1:
            return f"({', '.join(rows[0])})"
        names = [self._bare(list(column)) for column in zip(*rows, strict=True)]
        plain = f"({', '.join(rows[0])})"
        named = all(not name.isdigit() or name in "01" for name in names)
        return f"({', '.join(names)}) = {plain}" if named and names != rows[0] else plain

    def _named(self, numbers: Sequence[str]) -> str:
        name = self._bare(numbers)
        return name if name == numbers[0] else f"{name} = {numbers[0]}"

    def _bare(self, numbers: Sequence[str]) -> str:
        values = [int(number) for number in numbers]
        if min(values) < 2 and len(set(values)) == 1:
            return numbers[0]
        fixed = len(values) > 1 and len(set(values)) == 1  # one number in different cases is no axis
        first = "" if fixed else length_of(values[:1], self.sizes[:1])
        return length_of(values, self.sizes) or first or numbers[0]


def _dtype(name: str) -> str:
    last = name.removeprefix("c10::")
    return SHOWN.get(last, last)


def _combined(slots: _Slots) -> str:
    return f"two tensors that are combined have {slots.name(0)} and {slots.name(1)} numbers along one and the same axis"


def _matrices(slots: _Slots) -> str:
    return (
        f"in a matrix product the inner lengths must agree; the first has {slots.name(1)} columns, "
        f"the second {slots.name(2)} rows"
    )


def _batched(slots: _Slots) -> str:
    if all(groups[1] == groups[3] for groups in slots.filled):
        return (
            f"in a product of many matrices the second needs {slots.name(0)} of them and has {slots.name(2)}"
        )
    return (
        f"in a matrix product the inner lengths must agree; the first has {slots.name(1)} columns, "
        f"the second {slots.name(3)} rows"
    )


def _reshaped(slots: _Slots) -> str:
    return f"a tensor of {slots.name(1)} numbers was to become {slots.shape(0)}, which holds another number"


def _letter(slots: _Slots) -> str:
    return f"in the einsum the letter {slots.text(0)} stands for {slots.name(2)} and for {slots.name(1)}"


def _stretched(slots: _Slots) -> str:
    return f"an axis of {slots.name(1)} was to be stretched to {slots.name(0)}, and only an axis of 1 can be"


def _joined(slots: _Slots) -> str:
    return (
        f"tensors that are joined must agree elsewhere; one has {slots.name(0)} and another {slots.name(1)}"
    )


def _viewed(_slots: _Slots) -> str:
    return (
        "a view cannot follow axes that have changed places: the numbers do not lie in that order in memory"
    )


def _beyond(slots: _Slots) -> str:
    return f"index {slots.text(0)} was asked for on an axis of {slots.name(1)}, which ends before it"


def _no_axis(slots: _Slots) -> str:
    return f"axis {slots.text(1)} was asked for of a tensor with {int(slots.text(0)) + 1} axes"


def _mixed(slots: _Slots) -> str:
    return f"a product of {_dtype(slots.text(0))} with {_dtype(slots.text(1))}: one of the two was made in a fixed dtype"


def _overflow(slots: _Slots) -> str:
    return f"a number was too large for {_dtype(slots.text(0))}, whose range is far smaller than float32's"


def _broadcast(slots: _Slots) -> str:
    return f"a result of {slots.shape(1)} does not fit into a tensor of {slots.shape(0)}"


def _unpacked(slots: _Slots) -> str:
    return f"a shape with {slots.text(1)} axes was taken apart into {slots.text(0)} names"


def _parts(slots: _Slots) -> str:
    return f"the parts of a split must add up to the whole axis, which is {slots.name(0)}"


_SENTENCES: Sequence[tuple[re.Pattern[str], Callable[[_Slots], str]]] = [
    (re.compile(pattern, re.DOTALL), say)
    for pattern, say in (
        (r"size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\)", _combined),
        (r"mat1 and mat2 shapes cannot be multiplied \((\d+)x(\d+) and (\d+)x(\d+)\)", _matrices),
        (
            r"first two dimensions of batch2 tensor to be: \[(\d+), (\d+)\] but got: \[(\d+), (\d+)\]",
            _batched,
        ),
        (r"shape '\[([-\d, ]+)\]' is invalid for input of size (\d+)", _reshaped),
        (
            r"subscript (\w) has size (\d+) for operand \d+ which does not broadcast with previously seen size (\d+)",
            _letter,
        ),
        (r"expanded size of the tensor \((\d+)\) must match the existing size \((\d+)\)", _stretched),
        (
            r"must match except in dimension \d+\. (?:Expected size|Got) (\d+) (?:but got size|and) (\d+)",
            _joined,
        ),
        (r"view size is not compatible with input tensor's size and stride", _viewed),
        (r"index (\d+) is out of bounds for dimension \d+ with size (\d+)", _beyond),
        (r"Dimension out of range \(expected to be in range of \[-\d+, (\d+)\], but got (-?\d+)\)", _no_axis),
        (r"expected m1 and m2 to have the same dtype, but got: (\S+) != (\S+)", _mixed),
        (r"value cannot be converted to type (?:at|c10)::(\w+) without overflow", _overflow),
        (r"output with shape \[([\d, ]+)\] doesn't match the broadcast shape \[([\d, ]+)\]", _broadcast),
        (r"not enough values to unpack \(expected (\d+), got (\d+)\)", _unpacked),
        (r"split_with_sizes expects split_sizes to sum exactly to (\d+)", _parts),
    )
]
