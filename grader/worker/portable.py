"""A second device that needs no hardware: real values inside tensors that say they are elsewhere.

A tensor of this device mixes with a CPU tensor as a GPU's would: not at all, but for scalars, copies and
indices. So a constant made on the CPU in the middle of a forward, or a weight that is not registered and
stays behind when the module moves, shows up here, while branches on values go on working.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Self

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map

NAME = "portable"
STANDS_FOR = torch.device("meta")
FILLED = ("tensor", "as_tensor", "asarray")
MIXERS = ("copy_", "_to_copy", "index", "set_", "lift_fresh")
PUTTERS = ("index_put", "index_put_", "_index_put_impl_", "_unsafe_index_put")  # indices may be anywhere
MIXED = "expected all tensors to be on the same device, found the inputs' device and the CPU"


def _no_numpy(inner: torch.Tensor, *args: Any) -> Any:
    raise TypeError(f"{MIXED} (numpy needs a tensor on the CPU)")


def _format(inner: torch.Tensor, spec: str = "") -> str:
    return format(inner.item() if inner.dim() == 0 else inner, spec)


WAYS_OUT: Mapping[str, Callable[..., Any]] = {
    "tolist": torch.Tensor.tolist,
    "numpy": _no_numpy,
    "__array__": _no_numpy,
    "__format__": _format,
}


class Elsewhere(torch.Tensor):
    """A tensor on the second device; `held` has its values."""

    held: torch.Tensor

    @staticmethod
    def __new__(cls, inner: torch.Tensor) -> Self:
        """Wrap a CPU tensor; the two share its memory."""
        made: Self = torch.Tensor._make_wrapper_subclass(
            cls,
            inner.size(),
            strides=inner.stride(),
            storage_offset=inner.storage_offset(),
            dtype=inner.dtype,
            layout=inner.layout,
            device=STANDS_FOR,
            requires_grad=inner.requires_grad,
        )
        made.held = inner.detach()
        return made

    def __repr__(self, **kwargs: Any) -> str:  # type: ignore[override]  # torch declares `object`'s
        return f"Elsewhere({self.held!r})"

    @classmethod
    def __torch_dispatch__(  # type: ignore[override]  # torch declares it as a static one
        cls, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        return run(func, args, kwargs or {})


class Portable(TorchDispatchMode):
    """While it is active, tensors made for the second device get values, and mixing raises."""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        # The default wraps every call in torch's compiler, whose import takes longer than torch's own.
        return False

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return run(func, args, kwargs or {})


class Constructors(TorchFunctionMode):
    """What goes below every dispatch: `torch.tensor` and its kind (a CPU one is asked for), and ways out."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        name = getattr(func, "__name__", "")
        if name in WAYS_OUT and args and isinstance(args[0], Elsewhere):
            return WAYS_OUT[name](args[0].held, *args[1:])
        if name in ("__getitem__", "__setitem__") and isinstance(args[0], Elsewhere):
            return func(args[0], _indices(args[1]), *args[2:])
        asked = kwargs.get("device")
        if name == "new_tensor" and isinstance(args[0], Elsewhere) and asked is None:
            return Elsewhere(torch.tensor(*_numbers(args[1:]), **{"dtype": args[0].dtype, **kwargs}))
        if name in FILLED and args and not isinstance(args[0], Elsewhere):
            args = _numbers(args)
        if name in FILLED and asked is not None and torch.device(asked) == STANDS_FOR:
            made = func(*args, **{**kwargs, "device": "cpu"})
            return made if isinstance(made, Elsewhere) else Elsewhere(made)
        return func(*args, **kwargs)


def _numbers(args: Any) -> Any:
    """A constructor's data, with what is inside tensors of the second device."""
    return tree_map(lambda value: value.held if isinstance(value, Elsewhere) else value, args)


def _each(change: Callable[[Any], Any], value: Any) -> Any:
    """A change made to all that an operator is given or gives; torch's own walk takes longer than most of them."""
    kind = type(value)
    if kind is list or kind is tuple:
        return kind([_each(change, item) for item in value])
    if kind is dict:
        return {key: _each(change, item) for key, item in value.items()}
    if issubclass(kind, tuple) and hasattr(kind, "_fields"):
        return kind(*[_each(change, item) for item in value])
    return change(value)


def _indices(index: Any) -> Any:
    """An index with its lists as tensors of the CPU: torch would make tensors without values of them."""
    if isinstance(index, tuple):
        return tuple(_indices(list(part) if isinstance(part, tuple) else part) for part in index)
    if isinstance(index, list | range):
        values = _numbers(list(index))
        return torch.tensor(values) if values else torch.empty(0, dtype=torch.long)
    return index


def run(func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    """One operation: on the values inside, with the answer put back on the device it belongs to."""
    owners: dict[int, Elsewhere] = {}
    here: list[torch.Tensor] = []  # but those without axes, which mix with any device's

    def unwrap(value: Any) -> Any:
        if isinstance(value, Elsewhere):
            owners[id(value.held)] = value
            return value.held
        if isinstance(value, torch.Tensor):
            if value.is_meta:
                raise NotImplementedError(f"{func} was given a tensor without values")
            here.extend([value] if value.dim() else [])
        return value

    def wrap(value: Any) -> Any:
        if not isinstance(value, torch.Tensor) or isinstance(value, Elsewhere):
            return value
        # What an operation in place returns is the very tensor it was given.
        return owners[id(value)] if id(value) in owners else Elsewhere(value)

    name = func._schema.name.split("::")[-1]
    plain, named = _each(unwrap, args), _each(unwrap, kwargs)
    if owners:
        _refuse_mixing(name, args, here)
    asked = named.get("device")
    back = bool(owners) if asked is None else torch.device(asked) == STANDS_FOR
    if asked is not None:
        named = {**named, "device": torch.device("cpu")}
    result = func(*plain, **named)
    if name == "copy_":
        back = isinstance(args[0], Elsewhere)
    return _each(wrap, result) if back else result


def _refuse_mixing(name: str, args: Any, here: list[torch.Tensor]) -> None:
    """Raise as torch does when tensors of two devices meet in one operation."""
    if name in PUTTERS:
        here = [value for value in here if value is args[0] or value is args[2]]
    if here and name not in MIXERS:
        raise RuntimeError(f"{MIXED} ({name})")
