"""Functions of a neighbour's that are answered from outside.

What they are asked goes home; the answer comes with the next asking, where all that is known is answered at
once. Whose answers they are is nowhere in this process but as numbers.
"""

from __future__ import annotations

import builtins
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from .describe import blob
from .perform import tensor_of
from .portable import MIXED, Elsewhere
from .wire import ITEM_SIZE, WireError, key_of

MOST_OPEN = 4  # questions of one probe that are sent home at a time
ELEMENTS = 100_000  # of one tensor in a question


class Unanswered(BaseException):
    """The probe cannot go on before a question is answered; not for the guest's `except Exception`."""


class Served:
    """The functions that are answered from outside, by module, with the answers known so far."""

    def __init__(
        self, modules: Mapping[str, Sequence[str]] | None = None, known: Sequence[Mapping[str, Any]] = ()
    ) -> None:
        self.modules = modules or {}
        self._known = {str(entry["key"]): entry["answer"] for entry in known}
        self.open: list[Mapping[str, object]] = []

    def function(self, name: str, own: Any) -> Callable[..., Any]:
        """Stands for the function `name`; keywords go by the places that they have in the guest's `own`."""

        def served(*args: Any, **kwargs: Any) -> Any:
            return self._call(name, *_placed(own, args, kwargs))

        served.__name__ = served.__qualname__ = name
        return served

    def taken(self) -> list[Mapping[str, object]]:
        """The questions left open since the last call."""
        found, self.open = self.open[:MOST_OPEN], []
        return found

    def _call(self, name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        tensors = [value for value in (*args, *kwargs.values()) if isinstance(value, torch.Tensor)]
        away = any(isinstance(value, Elsewhere) for value in tensors)
        if away and any(value.dim() and not isinstance(value, Elsewhere) for value in tensors):
            raise RuntimeError(f"{MIXED} ({name})")
        question = {
            "name": name,
            "args": [_told(value) for value in args],
            "kwargs": {key: _told(value) for key, value in kwargs.items()},
        }
        result = _made(self._answer(question))
        if away:
            return _each(Elsewhere, result)
        if not (torch.is_grad_enabled() and any(value.requires_grad for value in tensors)):
            return result
        results: list[torch.Tensor] = []
        _each(results.append, result)
        join: Any = _Joined.apply
        joined = iter(join(self, question, results, *tensors)) if results else iter(())
        return _each(lambda _: next(joined), result)

    def gradients(self, question: Mapping[str, object], cotangents: Sequence[torch.Tensor]) -> list[Any]:
        """Gradients of a call's results, weighed by these, for each tensor it was given; None where there is none."""
        found = self._answer({"back": question, "cotangents": [_told(one) for one in cotangents]})
        made = _made(found)
        return list(made)

    def _answer(self, question: Mapping[str, object]) -> Any:
        try:
            key = key_of(question)
        except WireError as error:
            raise TypeError(f"this cannot be asked: {error}") from None
        if key not in self._known:
            self.open.append(question)
            raise Unanswered
        answer = self._known[key]
        if "raises" in answer:
            name, message = answer["raises"]
            kind: Any = getattr(builtins, str(name), None)
            if not (isinstance(kind, type) and issubclass(kind, Exception)):
                kind = RuntimeError
            raise kind(str(message))
        return answer["value"]


class _Joined(torch.autograd.Function):
    """Numbers that came from outside, joined to the graph they belong to."""

    @staticmethod
    def forward(
        ctx: Any,
        served: Served,
        question: Mapping[str, object],
        results: list[torch.Tensor],
        *tensors: torch.Tensor,
    ) -> tuple[torch.Tensor, ...]:
        ctx.served, ctx.question = served, question
        return tuple(results)

    @staticmethod
    def backward(ctx: Any, *cotangents: torch.Tensor) -> Any:
        return (None, None, None, *ctx.served.gradients(ctx.question, cotangents))


def _placed(
    own: Any, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> tuple[Sequence[Any], Mapping[str, Any]]:
    """Keywords as places, by the guest's own names for them; as they are where its own has no such names."""
    if not kwargs or own is None:
        return args, kwargs
    try:
        bound = inspect.signature(own).bind(*args, **kwargs)
        bound.apply_defaults()
    except (TypeError, ValueError):
        return args, kwargs
    return bound.args, bound.kwargs


def _told(value: Any) -> object:
    """A question's argument as plain values."""
    if value is None or type(value) in (bool, int, float, str):
        return {"plain": value}
    if type(value) in (list, tuple) and not any(isinstance(item, torch.Tensor) for item in value):
        return {type(value).__name__: [_told(item) for item in value]}
    if not isinstance(value, torch.Tensor):
        raise TypeError(f"a {type(value).__name__} cannot be handed to the solution's function")
    plain = value.held if isinstance(value, Elsewhere) else value.detach()
    if plain.numel() > ELEMENTS or str(plain.dtype).removeprefix("torch.") not in ITEM_SIZE:
        raise TypeError("this tensor cannot be handed to the solution's function")
    return {"tensor": blob(plain), "grad": bool(value.requires_grad)}


def _made(told: Any) -> Any:
    """What was told, as it was."""
    if "tensor" in told:
        return tensor_of(told["tensor"])
    for kind in (list, tuple):
        if kind.__name__ in told:
            return kind(_made(item) for item in told[kind.__name__])
    return told["plain"]


def _each(change: Callable[[torch.Tensor], Any], value: Any) -> Any:
    """A change made to every tensor in a result, in order."""
    if isinstance(value, list | tuple):
        return type(value)(_each(change, item) for item in value)
    return change(value) if isinstance(value, torch.Tensor) else value
