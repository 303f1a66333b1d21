"""One frame of a guest's, read to the end: what may come out of that, and what must not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from grader.grading.ask import _Asked, _Gathered
from grader.grading.run import limits_of
from grader.judging.compare import difference, say
from grader.lesson.answers import (
    Answer,
    FigureValue,
    Loading,
    OtherValue,
    Raised,
    SequenceValue,
    TensorValue,
    Value,
    read_answer,
    read_loading,
)
from grader.lesson.heat_maps import heat_maps
from grader.lesson.lesson import Limits
from grader.lesson.probes import Probe
from grader.sandbox.frames import GROUP_BYTES, Arriving
from grader.sandbox.posting import Due
from grader.worker.wire import LENGTHS, Blob, WireError, lengths, pack, unpack

PROBE = Probe("step/probe", "step", frozenset(), "a case", {}, (), ("out",))
LIMITS = {name: float(value) for name, value in limits_of(Limits()).items()}
BIT63 = 2**63
EXPECTED: tuple[Value, ...] = (
    None,
    3,
    "text",
    TensorValue("float32", (2,), "cpu", "Tensor", np.zeros(2, np.float32)),
    SequenceValue("tuple", 2, (1, TensorValue("float64", (), "cpu", "Tensor", np.zeros(())))),
    FigureValue(({"visible": True, "pictures": []},)),
    OtherValue("object", "an object"),
)


def whole(head: bytes, body: bytes = b"") -> bytes:
    """A frame with lengths that fit."""
    return LENGTHS.pack(len(head), len(body)) + head + body


def read(frame: bytes) -> Answer | None:
    """Read one frame as the grader does; AssertionError where what comes out is not plain and bounded.

    Nothing but a WireError, which is caught here, may be raised on the way.
    """
    try:
        head, _ = lengths(frame[: LENGTHS.size])
        unpack(frame[LENGTHS.size : LENGTHS.size + head], frame[LENGTHS.size + head :])
    except WireError:
        pass
    gathered = _Gathered(LIMITS)
    kept: list[Mapping[str, object]] = []
    for kind in ("loaded", "answer", "done"):  # whichever is due where it comes
        arriving = Arriving((Due(kind, PROBE.id),), GROUP_BYTES)
        arriving.add(frame)
        group = arriving.group("deadline")
        gathered.keep(_Asked("step", [PROBE]), group)
        kept += group.frames
    for text in gathered.prints.values():
        plain_text(text, 2 * 64 * 2**10)
    answer = None
    for told in kept:
        answer = read_answer(told)
        plain_answer(answer)
        plain_loading(read_loading(told))
    assert set(gathered.answers) <= {PROBE.id}
    return answer


def plain_answer(answer: Answer) -> None:
    """An answer holds plain values of bounded size, and can be compared with anything."""
    plain_text(answer.probe, 200)
    plain_text(answer.message, 1_000)
    plain_text(answer.during, 100)
    for text in (*answer.changed, *answer.used):
        plain_text(text, 200)
    assert answer.outcome in ("returned", "unfit", "absent", "raised")
    assert answer.operations is None or (type(answer.operations) is int and 0 <= answer.operations < BIT63)
    assert len(answer.values) <= 64
    if answer.raised is not None:
        plain_raised(answer.raised)
    for name, value in answer.values.items():
        plain_text(name, 100)
        for inner in within(value):
            plain_value(inner)
        say(value)
        with np.errstate(all="ignore"):
            for want in EXPECTED:
                difference(PROBE, "out", want, value)


def plain_loading(loading: Loading) -> None:
    """The same of a loading."""
    for text in (*loading.found, *loading.seen):
        plain_text(text, 200)
    assert len(loading.passed_over) <= 64
    for label, error in loading.passed_over:
        plain_text(label, 100)
        plain_raised(error)
    if loading.error is not None:
        plain_raised(loading.error)


def plain_raised(error: Raised) -> None:
    """The same of an exception."""
    plain_text(error.message, 1_000)
    assert len(error.types) <= 64
    assert len(error.lines) <= 64
    for text in error.types:
        plain_text(text, 200)
    for line in error.lines:
        assert type(line.number) is int
        assert 0 <= line.number < BIT63
        for text in (line.path, line.function, line.text):
            plain_text(text, 200)


def within(value: Value) -> Iterator[Value]:
    """A value and all in it."""
    yield value
    if isinstance(value, SequenceValue):
        for item in value.items:
            yield from within(item)


def plain_value(value: Value) -> None:
    """A value is of a type that we made, its numbers are finite or an array's, its texts short and printable."""
    assert type(value) in (
        type(None), bool, int, float, str, TensorValue, SequenceValue, FigureValue, OtherValue
    )  # fmt: skip
    if type(value) is int:
        assert abs(value) < BIT63
    elif type(value) is float:
        assert np.isfinite(value)
    elif isinstance(value, str):
        plain_text(value, 2_000)
    elif isinstance(value, OtherValue):
        plain_text(value.type, 200)
        plain_text(value.say, 2_000)
    elif isinstance(value, SequenceValue):
        assert type(value.length) is int
        assert 0 <= value.length < BIT63
    elif isinstance(value, FigureValue):
        for heat in heat_maps(value):
            assert len(heat.x) * len(heat.y) == heat.array.size
    elif isinstance(value, TensorValue):
        plain_tensor(value)


def plain_tensor(value: TensorValue) -> None:
    """A tensor's array is an ordinary one of its own, with the shape and the kind of number that it tells."""
    assert all(type(n) is int and 0 <= n < BIT63 for n in value.shape)
    plain_text(value.device, 20)
    plain_text(value.type, 200)
    array = value.array
    if array is None:
        return
    assert type(array) is np.ndarray
    assert array.shape == value.shape
    assert array.dtype.isnative
    assert array.dtype.name == ("float32" if value.dtype == "bfloat16" else value.dtype)
    assert array.flags.writeable
    if array.dtype == bool and array.size:
        assert array.view(np.uint8).max() <= 1


def plain_text(text: object, limit: int) -> None:
    """A text of no more than so many characters, none of them a surrogate."""
    assert type(text) is str
    assert len(text) <= limit
    text.encode("utf-8")


def honest() -> Iterable[tuple[dict[str, object], bytes]]:
    """Heads that a guest's side sends, each with its frame."""
    tensor = {"$": "tensor", "dtype": "float32", "shape": [2], "device": "cpu", "type": "Tensor"}
    blob = Blob("float32", (2,), bytes(8))
    axis = {"at": [0.0, 1.0], "labels": ["a", "b"]}
    picture = {
        "array": Blob("float64", (1, 2), bytes(16)),
        "left": -0.5,
        "right": 1.5,
        "first": -0.5,
        "last": 0.5,
    }
    axes = {
        "visible": True,
        "colorbar": False,
        "titles": ["head 0"],
        "x": axis,
        "y": axis,
        "pictures": [picture],
    }
    error = {"types": ["ValueError", "Exception"], "message": "no", "lines": [["a.py", 3, "f", "raise"]]}
    answer = {"kind": "answer", "probe": PROBE.id, "outcome": "returned", "variant": ""}
    items = {"$": "tuple", "length": 2, "items": [1, {**tensor, "blob": blob}]}
    flags = Blob("bool", (3,), b"\x00\x01\x02")
    heads: tuple[dict[str, object], ...] = (
        {
            **answer,
            "values": {"out": {**tensor, "blob": blob}},
            "changed": ["q"],
            "used": ["x"],
            "operations": 7,
        },
        {**answer, "values": {"out": {**tensor, "dtype": "bool", "shape": [3], "blob": flags}}},
        {**answer, "values": {"out": {"$": "figure", "axes": [axes]}}},
        {**answer, "values": {"out": items, "n": 3, "t": "text", "f": 0.5, "none": None, "yes": True}},
        {**answer, "outcome": "raised", "error": error, "during": "call"},
        {"kind": "loaded", "found": ["f"], "seen": ["g"], "error": error, "passed_over": [["cell 1", error]]},
        {"kind": "done", "prints": "printed\n"},
        {"kind": "begin", "what": "import"},
    )
    return [(head, pack(head)) for head in heads]
