"""Frames between grader, zygote and child: a JSON head and raw tensor bytes, bounded before they are read.

A frame is `head length (4 bytes) | body length (8 bytes) | head | body`, lengths big-endian. In the head
a tensor stands as `{"$": "blob", "dtype": ..., "shape": [...], "at": offset, "size": bytes}`; its bytes lie
in the body, C order, little-endian. Nothing executable is ever encoded.
"""

from __future__ import annotations

import hashlib
import json
import math
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

LENGTHS = struct.Struct(">IQ")
HEAD_LIMIT = 4 * 2**20  # bytes of one head
REQUEST_HEAD = 16 * 2**20  # of one of the grader's own, which has a submission's whole code in it
BODY_LIMIT = 64 * 2**20  # bytes of one body
BLOB_LIMIT = 512  # tensors in one answer
FIELDS = {"$", "dtype", "shape", "at", "size"}  # of a tensor in a head
DEPTH_LIMIT = 64  # of lists and objects in one another
REQUEST_BLOBS = 100_000  # tensors in one request of the grader's own
ITEM_SIZE: Mapping[str, int] = {
    "float64": 8,
    "float32": 4,
    "bfloat16": 2,
    "float16": 2,
    "int64": 8,
    "int32": 4,
    "int16": 2,
    "int8": 1,
    "uint8": 1,
    "bool": 1,
    "complex64": 8,
    "complex128": 16,
}


class WireError(ValueError):
    """Bytes that are not a frame of this protocol."""


@dataclass(frozen=True, slots=True)
class Blob:
    """A tensor as bytes: dtype by torch's name, shape, C-order little-endian data."""

    dtype: str
    shape: tuple[int, ...]
    data: bytes


def pack(head: Mapping[str, object], blobs: int = BLOB_LIMIT, head_limit: int = HEAD_LIMIT) -> bytes:
    """One frame; Blobs anywhere in `head` go into the body. Raises WireError when it is over a limit."""
    parts: list[bytes] = []
    at = 0

    def plain(value: object) -> object:
        nonlocal at
        if isinstance(value, Blob):
            if room(value.dtype, value.shape) > BODY_LIMIT:
                raise ValueError("a tensor whose shape is too large")
            size, start = len(value.data), at
            parts.append(value.data)
            at += size
            return {"$": "blob", "dtype": value.dtype, "shape": value.shape, "at": start, "size": size}
        if isinstance(value, Mapping):
            return dict(value)
        raise TypeError(f"{type(value).__name__} is not plain")

    try:
        text = json.dumps(head, allow_nan=False, separators=(",", ":"), default=plain).encode("ascii")
    except (TypeError, ValueError, RecursionError) as error:
        raise WireError(f"cannot be sent: {error}") from None
    if len(text) > head_limit or at > BODY_LIMIT or len(parts) > blobs:
        raise WireError("the frame is over the size limit")
    return LENGTHS.pack(len(text), at) + text + b"".join(parts)


def key_of(head: Mapping[str, object]) -> str:
    """What a question and its answer are known by on both sides. Raises WireError for what cannot be sent."""
    return hashlib.sha256(pack(head)).hexdigest()


def room(dtype: str, shape: Sequence[int]) -> int:
    """How many bytes a tensor takes, or would take if no axis of it were empty: to be added up along any of them."""
    return math.prod(max(n, 1) for n in shape) * ITEM_SIZE.get(dtype, 1)


def lengths(prefix: bytes, head_limit: int = HEAD_LIMIT) -> tuple[int, int]:
    """Head and body length from a frame's first 12 bytes; WireError when cut short or over a limit."""
    if len(prefix) != LENGTHS.size:
        raise WireError("the frame's lengths are cut short")
    head, body = LENGTHS.unpack(prefix)
    if head > head_limit or body > BODY_LIMIT:
        raise WireError("the frame announces more than the size limit")
    return head, body


def unpack(head: bytes, body: bytes, blobs: int = BLOB_LIMIT) -> dict[str, object]:
    """The head with Blobs put back; WireError for anything that is not exactly such a frame."""
    count = at = 0

    def made(pairs: list[tuple[str, object]]) -> object:
        nonlocal count, at
        found = dict(pairs)
        if len(found) != len(pairs):
            raise WireError("a key stands twice")
        if found.get("$") != "blob":
            return found
        count += 1
        if count > blobs:
            raise WireError("too many tensors")
        piece = _blob(found, body, at)
        at += len(piece.data)
        return piece

    try:
        # As `pack` writes it: of other bytes `json.loads` would guess the encoding.
        text = head.decode("ascii")
        value = json.loads(text, parse_constant=_refuse, parse_float=_finite, object_pairs_hook=made)
    except (ValueError, RecursionError) as error:
        raise WireError(f"not a frame: {error}") from None
    if head.count(b"[") + head.count(b"{") > DEPTH_LIMIT and _too_deep(value):
        raise WireError("nested too deep")
    if not isinstance(value, dict):
        raise WireError("a frame's head is an object")
    if at != len(body):
        raise WireError("the body holds bytes of no tensor")
    return value


def _too_deep(value: object, depth: int = 0) -> bool:
    if depth > DEPTH_LIMIT:
        return True
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return any(_too_deep(item, depth + 1) for item in inside)


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise WireError("a number is not finite")
    return number


def _blob(item: dict[str, object], body: bytes, start: int) -> Blob:
    """The tensor at `start`: one behind the other, so that a small body cannot become many large tensors."""
    if item.keys() != FIELDS:
        raise WireError("a tensor with other fields")
    dtype, shape, at, size = item["dtype"], item["shape"], item["at"], item["size"]
    if not isinstance(dtype, str) or dtype not in ITEM_SIZE or not isinstance(shape, list) or len(shape) > 16:
        raise WireError("a tensor of unknown dtype or shape")
    if not all(type(n) is int and 0 <= n <= BODY_LIMIT for n in [at, size, *shape]):
        raise WireError("a tensor whose sizes are not whole numbers")
    if (
        room(dtype, shape) > BODY_LIMIT
        or math.prod(shape) * ITEM_SIZE[dtype] != size
        or at != start
        or start + size > len(body)
    ):
        raise WireError("a tensor whose bytes do not add up")
    return Blob(dtype, tuple(shape), body[start : start + size])


def _refuse(name: str) -> object:
    raise WireError(f"{name} is not JSON")
