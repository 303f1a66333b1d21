"""Turns what a learner's code returned into plain values for the wire, without trusting any of it."""

from __future__ import annotations

import math
import sys
from typing import Any

import torch

from .portable import NAME, Elsewhere
from .wire import ITEM_SIZE, Blob

ELEMENTS = 1_000_000  # of one tensor; a larger answer is described, not sent
ITEMS = 64  # of one tuple or list
TEXT = 2_000  # characters of one text


def describe(value: Any, depth: int = 0) -> object:
    """A JSON value with Blobs; anything that is not plain stands as `{"$": kind, ...}`."""
    if value is None or type(value) is bool:
        return value
    if type(value) is int:
        return value if abs(value) < 2**63 else {"$": "other", "type": "int", "say": "an int of over 63 bits"}
    if type(value) is float:
        return value if math.isfinite(value) else {"$": "other", "type": "float", "say": repr(value)}
    if type(value) is str:
        return value[:TEXT]
    if isinstance(value, torch.Tensor):
        return _tensor(value)
    if isinstance(value, list | tuple) and depth < 4:
        kind = "tuple" if isinstance(value, tuple) else "list"
        return {"$": kind, "length": len(value), "items": [describe(item, depth + 1) for item in list(value)[:ITEMS]]}
    figure = sys.modules.get("matplotlib.figure")
    if figure is not None and isinstance(value, figure.Figure):
        from .figure import describe_figure

        return describe_figure(value)
    return {"$": "other", "type": type_name(value), "say": _say(value)}


def blob(tensor: torch.Tensor) -> Blob:
    """A dense tensor's bytes, in C order; its dtype is one of the wire's table."""
    # A tensor of one element may have any strides and still count as contiguous; a copy has none of its own.
    plain = torch.empty(tensor.shape, dtype=tensor.dtype).copy_(tensor.detach())
    data = plain.reshape(-1).view(torch.uint8).numpy().tobytes() if plain.numel() else b""
    return Blob(str(plain.dtype).removeprefix("torch."), tuple(plain.shape), data)


def _tensor(value: torch.Tensor) -> object:
    device = value.device.type
    if isinstance(value, Elsewhere):
        value, device = value.inner.requires_grad_(False), NAME
    dtype = str(value.dtype).removeprefix("torch.")
    facts: dict[str, object] = {
        "$": "tensor",
        "dtype": dtype,
        "shape": [int(n) for n in value.shape],
        "device": device,
        "type": type_name(value),
        "requires_grad": bool(value.requires_grad),
    }
    if value.layout is not torch.strided or value.is_quantized or dtype not in ITEM_SIZE:
        return {"$": "other", "type": type_name(value), "say": f"a tensor of layout {value.layout}, dtype {dtype}"}
    if value.device.type == "meta":
        return facts
    if value.numel() > ELEMENTS:
        return {**facts, "large": True}
    plain = torch.Tensor.detach(value).as_subclass(torch.Tensor).resolve_conj().resolve_neg()
    return {**facts, "blob": blob(plain)}


def type_name(value: Any) -> str:
    """`numpy.ndarray`, `Tensor`: a type as a learner would write it."""
    kind = type(value)
    module = getattr(kind, "__module__", "")
    short = module in ("builtins", "torch", "__main__") or str(module).startswith("submission")
    return str(kind.__qualname__ if short else f"{module}.{kind.__qualname__}")[:200]


def _say(value: Any) -> str:
    shape = getattr(value, "shape", None)
    if isinstance(shape, tuple) and len(shape) < 16 and all(type(n) is int for n in shape):
        return f"{type_name(value)} of shape {shape}"
    return type_name(value)
