"""Turns what a learner's code returned or raised into plain values for the wire, trusting none of it."""

from __future__ import annotations

import math
import sys
import traceback
from typing import Any

import torch

from .portable import NAME, Elsewhere
from .wire import ITEM_SIZE, Blob

ELEMENTS = 100_000  # of one tensor; a larger answer is described, not sent
ITEMS = 64  # of one tuple or list
DEPTH = 4  # of lists in lists
TEXT = 2_000  # characters of one text
MESSAGE = 1_000  # characters of an exception's message
FRAMES = 3  # of the learner's own lines in a traceback: the first, and the last ones
_SYNTAX = ("filename", "lineno", "text")
UNSHOWN = "(its message cannot be shown)"
UNREADABLE = "a value that cannot be read"


class Budget:
    """What one answer may still hold, in values and in bytes: a list can hold itself many times over."""

    def __init__(self, values: int = 400, size: int = 4 * 2**20) -> None:
        self.values, self.size = values, size

    def value(self) -> bool:
        """Whether one more value fits."""
        self.values -= 1
        return self.values >= 0

    def bytes(self, size: int) -> bool:
        """Whether so many bytes of a tensor fit; if not, later smaller ones still may."""
        if size > self.size:
            return False
        self.size -= size
        return True


def describe(value: Any, budget: Budget | None = None) -> object:
    """A JSON value with Blobs; anything that is not plain stands as `{"$": kind, ...}`. Never raises."""
    try:
        return _describe(value, Budget() if budget is None else budget, 0)
    except BaseException:
        return _other(type_name(value), UNREADABLE)


def _describe(value: Any, budget: Budget, depth: int) -> object:
    kind = type(value)
    if not budget.value():
        return _other(type_name(value), "one value too many")
    if value is None or kind is bool:
        return value
    if kind is int:
        return value if abs(value) < 2**63 else _other("int", "an int of over 63 bits")
    if kind is float:
        return value if math.isfinite(value) else _other("float", repr(value))
    if kind is str:
        return value[:TEXT]
    # A value's own `__class__` is not asked: it may say anything, or raise.
    if issubclass(kind, torch.Tensor):
        return _tensor(value, budget)
    if issubclass(kind, list | tuple) and depth < DEPTH:
        base: Any = list if issubclass(kind, list) else tuple
        items = [_describe(item, budget, depth + 1) for item in base.__getitem__(value, slice(ITEMS))]
        return {"$": base.__name__, "length": base.__len__(value), "items": items}
    figure = sys.modules.get("matplotlib.figure")
    if figure is not None and issubclass(kind, figure.Figure):
        from .figure import describe_figure

        return describe_figure(value, budget)
    return _other(type_name(value), _say(value))


def _other(kind: str, words: str) -> dict[str, object]:
    return {"$": "other", "type": kind, "say": words}


def blob(tensor: torch.Tensor) -> Blob:
    """A dense tensor's bytes, in C order; its dtype is one of the wire's table."""
    # A tensor of one element may have any strides and still count as contiguous; a copy has none of its own.
    plain = torch.empty(tensor.shape, dtype=tensor.dtype, device="cpu").copy_(tensor.detach())
    data = plain.reshape(-1).view(torch.uint8).numpy().tobytes() if plain.numel() else b""
    return Blob(str(plain.dtype).removeprefix("torch."), tuple(plain.shape), data)


def _tensor(value: Any, budget: Budget) -> object:
    # A subclass may have its own idea of shape, dtype or detach: torch's are taken.
    base: Any = torch._C.TensorBase
    with torch._C.DisableTorchFunctionSubclass():
        needs_grad = bool(base.requires_grad.__get__(value))
        elsewhere = issubclass(type(value), Elsewhere)
        plain = base.detach(value.held if elsewhere else value)
        if type(plain) is not torch.Tensor:
            plain = base.as_subclass(plain, torch.Tensor)
    dtype = str(plain.dtype).removeprefix("torch.")
    if plain.is_nested or plain.layout is not torch.strided or plain.is_quantized or dtype not in ITEM_SIZE:
        return _other(type_name(value), f"a tensor of layout {plain.layout}, dtype {dtype}")
    facts: dict[str, object] = {
        "$": "tensor",
        "dtype": dtype,
        "shape": list(plain.shape),
        "device": NAME if elsewhere else plain.device.type,
        "type": type_name(value),
        "requires_grad": needs_grad,
    }
    if plain.device.type == "meta":
        return facts
    if plain.numel() > ELEMENTS or not budget.bytes(plain.numel() * ITEM_SIZE[dtype]):
        return {**facts, "large": True}
    return {**facts, "blob": blob(plain.resolve_conj().resolve_neg())}


def type_name(value: Any) -> str:
    """`numpy.ndarray`, `Tensor`: a type as a learner would write it. Never raises."""
    kind = type(value)
    name = plain_text(type.__dict__["__qualname__"].__get__(kind), 200)
    try:
        module = plain_text(type.__dict__["__module__"].__get__(kind), 200)
    except BaseException:
        module = "builtins"
    short = module in ("", "builtins", "torch", "__main__") or module.startswith("submission")
    return (name if short else f"{module}.{name}")[:200]


def plain_text(value: Any, limit: int) -> str:
    """The first characters of a text, "" for anything else; a subclass of str is not trusted with it."""
    return str.__getitem__(value, slice(limit)) if issubclass(type(value), str) else ""


def _say(value: Any) -> str:
    try:
        shape = getattr(value, "shape", None)
    except BaseException:
        shape = None
    if type(shape) is tuple and len(shape) < 16 and all(type(n) is int and 0 <= n < 2**63 for n in shape):
        return f"{type_name(value)} of shape {shape}"
    return type_name(value)


def raised(error: BaseException, paths: set[str]) -> dict[str, object]:
    """An exception as plain values: its types, its words, and the learner's own lines in it. Never raises."""
    told: dict[str, object] = {"types": ["Exception"], "message": UNSHOWN, "lines": []}
    try:
        # Asked of `type` and `BaseException`: a class may have a `__name__` or `__traceback__` of its own.
        kinds = type.__dict__["__mro__"].__get__(type(error))
        told["types"] = [plain_text(type.__dict__["__name__"].__get__(kind), 200) for kind in kinds][:8]
        told["lines"] = _lines(error, paths)
        told["message"] = plain_text(str(error), MESSAGE)
    except BaseException:
        return told
    return told


def _lines(error: BaseException, paths: set[str]) -> list[list[object]]:
    descriptor: Any = BaseException.__dict__["__traceback__"]
    frames = [frame for frame in traceback.extract_tb(descriptor.__get__(error)) if frame.filename in paths]
    told: list[list[object]] = [
        [frame.filename, frame.lineno or 0, frame.name, (frame.line or "")[:200]] for frame in frames
    ]
    if issubclass(type(error), SyntaxError):
        path, number, line = (SyntaxError.__dict__[key].__get__(error) for key in _SYNTAX)
        if plain_text(path, 500) in paths:
            number = number if type(number) is int and 0 <= number < 2**31 else 0
            told.append([plain_text(path, 500), number, "<module>", plain_text(line, 200).strip()])
    return told if len(told) <= FRAMES else [told[0], *told[1 - FRAMES :]]
