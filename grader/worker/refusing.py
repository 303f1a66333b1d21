"""Refuses ready-made functions: whoever reaches one, by whatever name and in whatever thread, gets an error.

A refused operator is replaced in torch's dispatcher, below every spelling of it (a traced graph, vmap, a
C++ fast path); a function written in Python gets another body, so that references taken before see it too.
Nothing else becomes slower, and nothing is switched on that a guest could ask about while it runs.
"""

from __future__ import annotations

import sys
import types
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, NoReturn

import torch

# Below autograd and above it, and where vmap and its kind begin, which take an operator apart by themselves.
KEYS = ("CompositeImplicitAutograd", "CPU", "CUDA", "AutogradCPU", "FuncTorchDynamicLayerFrontMode")
Refuse = Callable[..., NoReturn]
Look = Callable[[], None]


class ReadyMade(RuntimeError):
    """A ready-made function was called where it is to be written by hand."""


class Refusals:
    """What is needed to refuse what has these dotted names; made before a guest is loaded, put up after.

    `used` collects what was called, each by the first of its names that ends alike. What it needs is looked
    up when it is made, so that a guest that replaces functions of this module changes nothing here.
    """

    def __init__(self, names: Sequence[str], used: list[str]) -> None:
        refuse: dict[str, Refuse] = {}
        for name in names:
            refuse.setdefault(_short(name), partial(_refuse, name, used))
        self.operators = torch.library.Library("aten", "IMPL") if names else None
        impl = getattr(self.operators, "impl", None)
        self.kernels: list[Callable[[], object]] = [
            partial(impl, overload, kernel, key, allow_override=True)
            for short, kernel in refuse.items()
            for overload in _overloads(short)
            for key in KEYS
            if impl is not None
        ]
        self.undo: list[Callable[[], None]] = []
        self.look: Look = partial(_look, {name: refuse[_short(name)] for name in names}, self.undo)
        self.up: Callable[[], Any] = partial(_up, self)


def refusals(names: Sequence[str], used: list[str]) -> Callable[[], Any]:
    """A context that refuses these names while it lasts; it gives what looks for modules imported since."""
    return Refusals(names, used).up


@contextmanager
def _up(made: Refusals) -> Iterator[Look]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # torch tells whom it happens to that a kernel is replaced
            for replace in made.kernels:
                replace()
        made.look()
        yield made.look
    finally:
        if made.operators is not None:
            made.operators._destroy()
        for restore in made.undo:
            restore()


def _refuse(name: str, used: list[str], *_: Any, **__: Any) -> NoReturn:
    if name not in used:
        used.append(name)
    raise ReadyMade(f"{name} is ready-made, and to be written by hand in this step")


def _short(name: str) -> str:
    return name.rpartition(".")[2]


def _overloads(short: str) -> list[str]:
    """An operator's schemas by the names that a library is given; none where torch has no such operator."""
    packet = getattr(torch.ops.aten, short, None)
    return (
        [] if packet is None else [f"{short}.{name}".removesuffix(".default") for name in packet.overloads()]
    )


def _look(waiting: dict[str, Refuse], undo: list[Callable[[], None]]) -> None:
    """Give the functions that are there by now a body that refuses."""
    for name in list(waiting):
        found = _found(name)
        if found is not None:
            refuse = waiting.pop(name)
            if isinstance(found, types.FunctionType):
                undo.append(_emptied(found, refuse))


def _found(name: str) -> object | None:
    """What stands under a dotted name, a class's `forward` for the class; None while its module is not there."""
    found = getattr(sys.modules.get(name.rpartition(".")[0]), _short(name), None)
    return vars(found).get("forward", found) if isinstance(found, type) else found


def _emptied(function: types.FunctionType, refuse: Refuse) -> Callable[[], None]:
    """Give a function a body that refuses; returns what gives it back its own."""
    body, keywords = function.__code__, function.__kwdefaults__

    def refused(*_: Any, _refuse: Refuse = refuse, **__: Any) -> NoReturn:
        _refuse()

    function.__code__ = refused.__code__
    function.__kwdefaults__ = refused.__kwdefaults__

    def restore() -> None:
        function.__code__ = body
        function.__kwdefaults__ = keywords

    return restore
