from __future__ import annotations

import json
import struct
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.worker.wire import (
    BLOB_LIMIT,
    BODY_LIMIT,
    DEPTH_LIMIT,
    HEAD_LIMIT,
    ITEM_SIZE,
    LENGTHS,
    Blob,
    WireError,
    lengths,
    pack,
    unpack,
)

fuzz = settings(derandomize=True, deadline=None, database=None, max_examples=150)


def there_and_back(head: dict[str, object]) -> dict[str, object]:
    frame = pack(head)
    size, rest = lengths(frame[: LENGTHS.size])
    start = LENGTHS.size + size
    assert len(frame) == start + rest
    return unpack(frame[LENGTHS.size : start], frame[start:])


def told(
    at: int = 0, size: int = 4, shape: object = (1,), dtype: object = "float32", **more: object
) -> bytes:
    return json.dumps(
        {"x": {"$": "blob", "dtype": dtype, "shape": shape, "at": at, "size": size, **more}}
    ).encode()


# --- round trips --------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", sorted(ITEM_SIZE))
def test_a_tensor_of_each_dtype_comes_back(dtype: str) -> None:
    piece = Blob(dtype, (2, 3), bytes(range(6 * ITEM_SIZE[dtype])))
    assert there_and_back({"x": piece}) == {"x": piece}


def test_tensors_anywhere_in_the_head_come_back_in_their_places() -> None:
    a, b, c = Blob("uint8", (3,), b"abc"), Blob("float32", (), b"wxyz"), Blob("int64", (0, 5), b"")
    head = {
        "list": [a, {"deep": [b, c]}],
        "n": 1,
        "text": "ü\ud800",
        "nothing": None,
        "yes": True,
        "real": 0.5,
    }
    assert there_and_back(head) == head


def test_tuples_arrive_as_lists_and_keys_as_text() -> None:
    assert there_and_back({"t": (1, (2,)), 3: "x"}) == {"t": [1, [2]], "3": "x"}  # type: ignore[dict-item]


plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8)
    | st.binary(max_size=8).map(lambda data: Blob("uint8", (len(data),), data)),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("abcde"), inner, max_size=4),
    max_leaves=12,
)


@fuzz
@given(st.dictionaries(st.sampled_from("pqrs"), plain, max_size=4))
def test_whatever_is_packed_comes_back(head: dict[str, object]) -> None:
    assert there_and_back(head) == head


# --- what cannot be packed ----------------------------------------------------------------------


def endless() -> dict[str, object]:
    found: dict[str, object] = {}
    found["self"] = found
    return found


@pytest.mark.parametrize(
    "head",
    [
        {"x": float("nan")},
        {"x": float("inf")},
        {"x": b"bytes"},
        {"x": object()},
        {"x": {1, 2}},
        {"x": 10**5000},
        endless(),
        {"x": "a" * (HEAD_LIMIT + 1)},
        {"x": [Blob("uint8", (0,), b"")] * (BLOB_LIMIT + 1)},
        {"x": [Blob("uint8", (BODY_LIMIT // 2,), bytes(BODY_LIMIT // 2))] * 3},
    ],
    ids=["nan", "inf", "bytes", "object", "set", "huge int", "endless", "long", "many", "large"],
)
def test_what_no_frame_can_hold_is_refused(head: dict[str, object]) -> None:
    with pytest.raises(WireError):
        pack(head)


def test_more_tensors_are_packed_and_read_where_more_are_asked_for() -> None:
    head: dict[str, object] = {"x": [Blob("uint8", (1,), b"z")] * (BLOB_LIMIT + 1)}
    frame = pack(head, BLOB_LIMIT + 1)
    size, _ = lengths(frame[: LENGTHS.size])
    parts = frame[LENGTHS.size : LENGTHS.size + size], frame[LENGTHS.size + size :]
    assert unpack(*parts, BLOB_LIMIT + 1) == head
    with pytest.raises(WireError, match="too many tensors"):
        unpack(*parts)


# --- what is refused on arrival -----------------------------------------------------------------


@pytest.mark.parametrize("prefix", [b"", b"short", bytes(13)])
def test_lengths_that_are_cut_short_are_refused(prefix: bytes) -> None:
    with pytest.raises(WireError, match="cut short"):
        lengths(prefix)


@pytest.mark.parametrize("announced", [(HEAD_LIMIT + 1, 0), (0, BODY_LIMIT + 1), (2**32 - 1, 2**64 - 1)])
def test_a_frame_over_the_limit_is_refused_before_it_is_read(announced: tuple[int, int]) -> None:
    with pytest.raises(WireError, match="size limit"):
        lengths(struct.pack(">IQ", *announced))
    assert lengths(struct.pack(">IQ", HEAD_LIMIT, BODY_LIMIT)) == (HEAD_LIMIT, BODY_LIMIT)


BAD_JSON: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", "not a frame"),
    "half": (b'{"a": 1', "not a frame"),
    "no utf-8": (b'{"a": "\xff\xfe"}', "not a frame"),
    "NaN": (b'{"a": NaN}', "NaN is not JSON"),
    "Infinity": (b'{"a": [-Infinity]}', "-Infinity is not JSON"),
    "overflow": (b'{"a": 1e999}', "not finite"),
    "twice": (b'{"a": 1, "a": 2}', "twice"),
    "twice, deep": (b'{"a": [{"b": 1, "b": 1}]}', "twice"),
    "a list": (b"[1, 2]", "an object"),
    "a number": (b"7", "an object"),
    "null": (b"null", "an object"),
    "deep list": (b'{"a": ' + b"[" * 100 + b"]" * 100 + b"}", "too deep"),
    "deep object": (b'{"a": ' * 100 + b"1" + b"}" * 100, "too deep"),
    "very deep": (b"[" * 200_000, "not a frame"),
    "long int": (b'{"a": ' + b"9" * 5000 + b"}", "not a frame"),
}


@pytest.mark.parametrize("case", BAD_JSON)
def test_a_head_that_is_no_frames_is_refused(case: str) -> None:
    head, words = BAD_JSON[case]
    with pytest.raises(WireError, match=words):
        unpack(head, b"")


def test_much_may_stand_side_by_side_that_may_not_stand_in_one_another() -> None:
    deepest: object = 1
    for _ in range(DEPTH_LIMIT - 1):
        deepest = [deepest]
    head = {"beside": [[]] * 1_000, "inside": deepest}
    assert parted(head) == head
    with pytest.raises(WireError, match="too deep"):
        parted({**head, "inside": [deepest]})


def parted(head: dict[str, object]) -> dict[str, object]:
    """A head packed and read again."""
    frame = pack(head)
    size, _ = lengths(frame[: LENGTHS.size])
    return unpack(frame[LENGTHS.size : LENGTHS.size + size], frame[LENGTHS.size + size :])


BAD_TENSORS: dict[str, tuple[bytes, bytes]] = {
    "unknown dtype": (told(dtype="object"), b"abcd"),
    "dtype is no text": (told(dtype=["float32"]), b"abcd"),
    "shape is no list": (told(shape="4"), b"abcd"),
    "too many axes": (told(shape=[1] * 17), b"abcd"),
    "shape too small": (told(shape=[0]), b"abcd"),
    "shape too large": (told(shape=[2]), b"abcd"),
    "negative shapes": (told(shape=[-1, -1]), b"abcd"),
    "a bool in the shape": (told(shape=[True]), b"abcd"),
    "a float in the shape": (told(shape=[1.0]), b"abcd"),
    "offset is a bool": (told(at=False), b"abcd"),
    "size is a bool": (told(size=True, shape=[1], dtype="uint8"), b"a"),
    "size is missing": (b'{"x": {"$": "blob", "dtype": "uint8", "shape": [1], "at": 0}}', b"a"),
    "negative offset": (told(at=-4), b"abcd"),
    "one field more": (told(more=1), b"abcd"),
    "one tensor in another": (
        told(more={"$": "blob", "dtype": "uint8", "shape": [0], "at": 0, "size": 0}),
        b"abcd",
    ),
    "offset past the end": (told(at=4), b"abcd"),
    "cut short": (told(), b"abc"),
    "bytes of no tensor": (told(), b"abcde"),
    "no tensor at all": (b"{}", b"a"),
    "shape of astronomic size": (told(shape=[BODY_LIMIT] * 16), b"abcd"),
}


@pytest.mark.parametrize("case", BAD_TENSORS)
def test_a_tensor_that_does_not_add_up_is_refused(case: str) -> None:
    with pytest.raises(WireError):
        unpack(*BAD_TENSORS[case])


def test_the_same_bytes_cannot_be_claimed_by_two_tensors() -> None:
    # 512 tensors that all claim one body of 64 MiB would be 32 GiB here.
    one = {"$": "blob", "dtype": "uint8", "shape": [4], "at": 0, "size": 4}
    with pytest.raises(WireError, match="add up"):
        unpack(json.dumps({"x": [one, one]}).encode(), b"abcd")
    gap = [one, {**one, "at": 5}]
    with pytest.raises(WireError, match="add up"):
        unpack(json.dumps({"x": gap}).encode(), b"abcd efgh")


# --- any bytes at all ---------------------------------------------------------------------------


def only_wire_errors(function: Callable[[], object]) -> None:
    try:
        found = function()
    except WireError:
        return
    assert isinstance(found, dict | tuple)


@fuzz
@given(st.binary(max_size=20))
def test_any_lengths_are_read_or_refused(prefix: bytes) -> None:
    only_wire_errors(lambda: lengths(prefix))


@fuzz
@given(st.binary(max_size=200), st.binary(max_size=20))
def test_any_bytes_are_read_or_refused(head: bytes, body: bytes) -> None:
    only_wire_errors(lambda: unpack(head, body))


odd = st.sampled_from(
    [0, 1, -1, 4, 2**70, True, None, 1.5, "4", [], [4], [2, 2], [-1], {}, "uint8", "float32", 1e300]
)
bad_blob = st.dictionaries(st.sampled_from(["dtype", "shape", "at", "size"]), odd).map(
    lambda fields: {"$": "blob", "dtype": "uint8", "shape": [4], "at": 0, "size": 4, **fields}
)


@fuzz
@given(st.lists(bad_blob, max_size=3), st.binary(max_size=8))
def test_any_description_of_a_tensor_is_read_or_refused(blobs: list[object], body: bytes) -> None:
    only_wire_errors(lambda: unpack(json.dumps({"values": blobs}).encode(), body))


@fuzz
@given(st.data())
def test_a_damaged_frame_is_read_or_refused(data: st.DataObject) -> None:
    frame = bytearray(
        pack({"kind": "answer", "values": {"y": Blob("float32", (2,), bytes(8))}, "used": ["a"]})
    )
    for _ in range(data.draw(st.integers(1, 3))):
        frame[data.draw(st.integers(0, len(frame) - 1))] = data.draw(st.integers(0, 255))
    start = LENGTHS.size + struct.unpack(">I", bytes(frame[:4]))[0] % 300
    only_wire_errors(lambda: unpack(bytes(frame[LENGTHS.size : start]), bytes(frame[start:])))
