"""What reads a guest's frames, under bytes that no honest guest sends: only our own error, in little room and time."""

from __future__ import annotations

import json
import time
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.lesson.answers import OtherValue, TensorValue, read_value
from grader.sandbox.frames import GROUP_BYTES, GROUP_HEADS, GROUP_VALUES, HEAD_BYTES, Arriving, inner
from grader.sandbox.posting import Due
from grader.worker.wire import BODY_LIMIT, ITEM_SIZE, LENGTHS, Blob, WireError, pack, unpack
from tests.tools.fuzz.reading import honest, read, whole

fuzz = settings(derandomize=True, deadline=None, database=None, max_examples=120)
HONEST = list(honest())

# --- honest frames, so that the rest means something ---------------------------------------------


@pytest.mark.parametrize("number", range(len(HONEST)))
def test_an_honest_frame_is_read_whole(number: int) -> None:
    head, frame = HONEST[number]
    assert inner(frame) == head
    read(frame)


def test_an_honest_tensor_arrives_as_an_array_of_its_own() -> None:
    found = read(HONEST[0][1])
    assert found is not None
    value = found.values["out"]
    assert isinstance(value, TensorValue)
    assert value.array is not None
    assert value.array.tolist() == [0, 0]


# --- any bytes -----------------------------------------------------------------------------------


@fuzz
@given(st.binary(max_size=300))
def test_any_bytes_are_no_frame_or_one(frame: bytes) -> None:
    read(frame)


@fuzz
@given(st.binary(max_size=300), st.binary(max_size=40))
def test_any_bytes_behind_lengths_that_fit_are_no_frame_or_one(head: bytes, body: bytes) -> None:
    read(whole(head, body))


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """An honest frame with bytes changed, cut out, put in, or said twice; sometimes its lengths still fit."""
    _, frame = draw(st.sampled_from(HONEST))
    size = int.from_bytes(frame[:4], "big")
    data = bytearray(frame[LENGTHS.size :])
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, max(len(data) - 1, 0)))
        how = draw(st.sampled_from(("change", "cut", "put", "twice")))
        if how == "change" and data:
            data[at] = draw(st.integers(0, 255))
        elif how == "cut":
            del data[at : at + draw(st.integers(1, 9))]
        elif how == "put":
            data[at:at] = draw(
                st.sampled_from((b"NaN", b"1e999", b"[[", b"\\ud800", b'"$":', b"-1", b"\xff", b"true"))
            )
        else:
            data[at:at] = data[at : at + draw(st.integers(1, 30))]
    if draw(st.booleans()):
        return frame[: LENGTHS.size] + bytes(data)
    return whole(bytes(data[:size]), bytes(data[size:]))


@fuzz
@given(damaged())
def test_a_damaged_frame_is_no_frame_or_one(frame: bytes) -> None:
    read(frame)


# --- heads that look right -----------------------------------------------------------------------

WORDS = [
    "kind", "probe", "outcome", "values", "error", "message", "during", "changed", "used", "operations", "variant",
    "found", "seen", "passed_over", "prints", "types", "lines", "$", "dtype", "shape", "device", "type", "blob",
    "large", "requires_grad", "items", "length", "axes", "at", "size", "visible", "colorbar", "pictures", "array",
    "left", "right", "first", "last", "titles", "x", "y", "labels", "say", "what", "out",
]  # fmt: skip
ODD = [
    "answer", "loaded", "done", "returned", "raised", "absent", "blob", "tensor", "tuple", "figure", "step/probe",
    "float32", "bool", "bfloat16", "object", "", "a\ud800b", "\x1b[31m", "x" * 3_000, True, False, None, 0, -1, 1, 4,
    2**31, 2**63, -(2**70), 10**4_000, 1.5, -0.0, 1e308, 5e-324, [], [0], [True], [2], [-1], [1.0],
    [2**40, 0], [1] * 99, {},
]  # fmt: skip
RAW = st.sampled_from(
    ("NaN", "Infinity", "-Infinity", "1e999", "-1e999", "0x1", "01", "'a'", "[1,]", '"\\ud800"')
)


def shown(value: object) -> str:
    """JSON as `json.dumps` would not write it: what is a Raw stands as it is, keys may stand twice."""
    if isinstance(value, tuple):
        return str(value[0])
    if isinstance(value, list):
        return "[" + ",".join(map(shown, value)) + "]"
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(key)}:{shown(item)}" for key, item in value.items()) + "}"
    return json.dumps(value)


atoms = (
    st.sampled_from(ODD)
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5)
)
heads = st.recursive(
    atoms
    | RAW.map(lambda text: (text,))
    | st.just({"$": "blob", "dtype": "bool", "shape": [2], "at": 0, "size": 2}),
    lambda inside: st.lists(inside, max_size=4) | st.dictionaries(st.sampled_from(WORDS), inside, max_size=8),
    max_leaves=25,
)
ANSWER = {"kind": "answer", "probe": "step/probe", "outcome": "returned"}


@fuzz
@given(heads, st.binary(max_size=16))
def test_a_head_of_any_shape_is_no_frame_or_one(head: object, body: bytes) -> None:
    read(whole(shown(head).encode(), body))


@fuzz
@given(st.dictionaries(st.sampled_from(("out", "d_x", "\ud800")), heads, max_size=3), st.binary(max_size=4))
def test_values_of_any_shape_are_read_or_refused(values: dict[str, object], body: bytes) -> None:
    read(whole(shown({**ANSWER, "values": values}).encode(), body))


@fuzz
@given(
    st.dictionaries(st.sampled_from(WORDS), heads, max_size=10),
    st.sampled_from(("tensor", "tuple", "figure", "blob")),
)
def test_a_value_with_any_fields_is_read_or_refused(fields: dict[str, object], kind: str) -> None:
    read(whole(shown({**ANSWER, "values": {"out": {**fields, "$": kind}}}).encode()))


# --- what only looks like a number, a shape or a text ----------------------------------------------


@pytest.mark.parametrize("text", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999", "9" * 5_000])
def test_a_number_that_no_json_has_makes_it_no_frame(text: str) -> None:
    head = b'{"kind":"answer","probe":"step/probe","values":{"out":' + text.encode() + b"}}"
    with pytest.raises(WireError):
        unpack(head, b"")
    assert inner(whole(head)) == {}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32", "utf-8-sig"])
def test_a_head_in_another_encoding_is_no_frame(encoding: str) -> None:
    with pytest.raises(WireError, match="not a frame"):
        unpack('{"kind":"ä"}'.encode(encoding), b"")


def test_a_lone_surrogate_is_written_out_wherever_it_stands() -> None:
    error = {"types": ["E\ud800"], "message": "m\ud800", "lines": [["p\ud800", 1, "f\ud800", "t\ud800"]]}
    values = {"k\ud800": "v\ud800"}
    frame = pack({**ANSWER, "values": values, "error": error, "message": "m\ud800", "during": "d\ud800"})
    found = read(frame)
    assert found is not None
    assert found.values == {"k\\ud800": "v\\ud800"}
    read(pack({"kind": "done", "prints": "p\ud800"}))


@pytest.mark.parametrize("number", [True, False, -1, 2**63, 1.0, "1", None, [1]])
def test_what_is_not_a_whole_number_of_a_size_counts_nothing(number: object) -> None:
    found = read(
        pack(
            {**ANSWER, "operations": number, "values": {"out": {"$": "list", "length": number, "items": [7]}}}
        )
    )
    assert found is not None
    assert found.operations is None
    assert found.values["out"].length == 1  # type: ignore[union-attr]


@pytest.mark.parametrize("shape", [[2**63], [-1], [True], [1.0], ["1"], [1] * 65])
def test_a_tensor_without_numbers_needs_a_shape_all_the_same(shape: object) -> None:
    told = {"$": "tensor", "dtype": "float32", "shape": shape, "device": "meta", "type": "Tensor"}
    assert read_value(told) == OtherValue("unknown", "a tensor that cannot be read")


def test_a_tensor_of_no_known_dtype_is_none() -> None:
    told = {"$": "tensor", "dtype": "x" * 9_000, "shape": [2], "device": "meta", "type": "Tensor"}
    assert read_value(told) == OtherValue("unknown", "a tensor that cannot be read")


def test_a_bool_tensor_holds_true_and_false_whatever_bytes_came() -> None:
    told = {"$": "tensor", "dtype": "bool", "shape": [4], "device": "cpu", "type": "Tensor"}
    value = read_value({**told, "blob": Blob("bool", (4,), b"\x00\x01\x02\xff")})
    assert isinstance(value, TensorValue)
    assert value.array is not None
    assert value.array.view("u1").tolist() == [0, 1, 1, 1]


# --- little room, little time -----------------------------------------------------------------------


@pytest.mark.parametrize("dtype", sorted(ITEM_SIZE))
def test_an_empty_tensor_of_astronomic_shape_is_refused_on_both_sides(dtype: str) -> None:
    blob = {"$": "blob", "dtype": dtype, "shape": [0, BODY_LIMIT, BODY_LIMIT, 2], "at": 0, "size": 0}
    with pytest.raises(WireError, match="add up"):
        unpack(json.dumps({"x": blob}).encode(), b"")
    with pytest.raises(WireError, match="shape is too large"):
        pack({"x": Blob(dtype, (0, BODY_LIMIT, BODY_LIMIT, 2), b"")})


def test_a_picture_of_no_cells_costs_nothing() -> None:
    blob = Blob("float64", (0, BODY_LIMIT // 8), b"")
    axis = {"at": [0.5], "labels": ["a"]}
    picture = {"array": blob, "left": 0, "right": 1, "first": 0, "last": 1}
    axes = {"visible": True, "pictures": [picture], "x": axis, "y": axis}
    frame = pack({**ANSWER, "values": {"out": {"$": "figure", "axes": [axes] * 64}}})
    assert peak(lambda: read(frame)) < 32 * 2**20


def peak(action: object) -> int:
    """The most bytes that an action held at once."""
    tracemalloc.start()
    try:
        assert callable(action)
        action()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("piece", [b"{},", b"0,", b"[[],[]],"])
def test_a_head_full_of_small_things_is_bounded_for_the_whole_group(piece: bytes) -> None:
    filling = piece * ((HEAD_BYTES - 100) // len(piece))
    frame = whole(b'{"kind":"answer","values":[' + filling + b"0]}")
    arriving = Arriving((Due("answer"),) * 500, GROUP_BYTES)

    def all_of_them() -> None:
        for _ in range(40):
            arriving.add(frame)

    began = time.process_time()
    most = peak(all_of_them)
    assert arriving.flooded
    assert most < 80 * 2**20
    assert time.process_time() - began < 10


def test_long_texts_are_bounded_for_the_whole_group() -> None:
    frame = whole(b'{"kind":"done","prints":"' + b"\\ud83d\\ude00" * ((HEAD_BYTES - 100) // 12) + b'"}')
    arriving = Arriving((Due("done"),) * 500, GROUP_BYTES)
    for _ in range(GROUP_HEADS // HEAD_BYTES + 2):
        arriving.add(frame)
    assert arriving.flooded
    assert len(arriving.frames) <= GROUP_HEADS // HEAD_BYTES + 1


def test_our_own_reference_may_say_more_than_a_guest() -> None:
    frame = whole(b'{"kind":"loaded","seen":[' + b"0," * 100_000 + b"0]}")
    arriving = Arriving((Due("loaded"),) * 500, float("inf"))
    for _ in range(GROUP_VALUES // 100_000 + 2):
        arriving.add(frame)
    assert not arriving.flooded
    assert len(arriving.frames) == GROUP_VALUES // 100_000 + 2


@pytest.mark.parametrize("deep", [b"[" * 60_000, b'{"a":' * 60_000, b"[" * 100 + b"]" * 100])
def test_a_head_however_deep_is_refused_in_no_time(deep: bytes) -> None:
    began = time.process_time()
    assert inner(whole(b'{"a":' + deep + b"}")) == {}
    assert time.process_time() - began < 5
