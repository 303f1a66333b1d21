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

    def __repr__(self, **kwargs: Any) -> str:  # type: ignore[override]
        return f"Elsewhere({self.held!r})"

    @classmethod
    def __torch_dispatch__(  # type: ignore[override]
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


def run(func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    """One operation: on the values inside, with the answer put back on the device it belongs to."""
    owners: dict[int, Elsewhere] = {}
    here: list[torch.Tensor] = []

    def unwrap(value: Any) -> Any:
        if isinstance(value, Elsewhere):
            owners[id(value.held)] = value
            return value.held
        if isinstance(value, torch.Tensor) and _is_here(value):
            here.append(value)
        return value

    name = func._schema.name.split("::")[-1]
    plain, named = tree_map(unwrap, args), tree_map(unwrap, kwargs)
    if name in PUTTERS:
        here = [args[at] for at in (0, 2) if isinstance(args[at], torch.Tensor) and _is_here(args[at])]
    if owners and here and name not in MIXERS:
        raise RuntimeError(f"{MIXED} ({name})")
    asked = named.get("device")
    if asked is not None:
        named = {**named, "device": torch.device("cpu")}
    result = func(*plain, **named)
    if name == "copy_":
        back = isinstance(args[0], Elsewhere)
    else:
        back = bool(owners) if asked is None else torch.device(asked) == STANDS_FOR

    def wrap(value: Any) -> Any:
        if not isinstance(value, torch.Tensor) or isinstance(value, Elsewhere):
            return value
        # What an operation in place returns is the very tensor it was given.
        return owners[id(value)] if id(value) in owners else Elsewhere(value)

    return tree_map(wrap, result) if back else result


def _is_here(value: torch.Tensor) -> bool:
    """Whether a tensor is on the CPU and no number: a tensor without dimensions mixes with any device's."""
    return not isinstance(value, Elsewhere) and value.dim() > 0
