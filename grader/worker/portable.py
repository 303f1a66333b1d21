"""A second device that needs no hardware: real values inside tensors that say they are elsewhere.

A tensor of this device mixes with a CPU tensor as a GPU's would: not at all, but for scalars, copies and
indices. So a constant made on the CPU in the middle of a forward, or a weight that is not registered and
stays behind when the module moves, shows up here, while branches on values go on working.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map

NAME = "portable"
STANDS_FOR = torch.device("meta")
FILLED = ("tensor", "as_tensor", "asarray", "from_numpy")
MIXERS = ("copy_", "_to_copy", "index", "index_put", "index_put_", "_index_put_impl_", "set_", "lift_fresh")


MIXED = "expected all tensors to be on the same device, found the inputs' device and the CPU"


class Elsewhere(torch.Tensor):
    """A tensor on the second device; `inner` holds its values."""

    inner: torch.Tensor

    @staticmethod
    def __new__(cls, inner: torch.Tensor) -> Elsewhere:
        made: Elsewhere = torch.Tensor._make_wrapper_subclass(  # type: ignore[attr-defined]
            cls,
            inner.size(),
            strides=inner.stride(),
            storage_offset=inner.storage_offset(),
            dtype=inner.dtype,
            layout=inner.layout,
            device=STANDS_FOR,
            requires_grad=inner.requires_grad,
        )
        made.inner = inner.detach()
        return made

    def __repr__(self, **kwargs: Any) -> str:
        return f"Elsewhere({self.inner!r})"

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
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
    """`torch.tensor` and its kind fill a tensor below every dispatch; here they are asked for a CPU one first."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        name = getattr(func, "__name__", "")
        asked = kwargs.get("device")
        if name == "new_tensor" and isinstance(args[0], Elsewhere) and asked is None:
            return Elsewhere(torch.tensor(*args[1:], **{"dtype": args[0].dtype, **kwargs}))
        if name in FILLED and asked is not None and torch.device(asked) == STANDS_FOR:
            made = func(*args, **{**kwargs, "device": "cpu"})
            return made if isinstance(made, Elsewhere) else Elsewhere(made)
        return func(*args, **kwargs)


def run(func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    """One operation: on the values inside, with the answer put back on the device it belongs to."""
    found = {"elsewhere": False, "here": 0}
    owners: dict[int, Elsewhere] = {}

    def unwrap(value: Any) -> Any:
        if isinstance(value, Elsewhere):
            found["elsewhere"] = True
            owners[id(value.inner)] = value
            return value.inner
        if isinstance(value, torch.Tensor) and value.dim() > 0:
            found["here"] += 1
        return value

    name = func._schema.name.split("::")[-1]
    plain, named = tree_map(unwrap, args), tree_map(unwrap, kwargs)
    asked = named.get("device")
    if asked is not None:
        named = {**named, "device": torch.device("cpu")}
    if found["elsewhere"] and found["here"] and name not in MIXERS:
        raise RuntimeError(f"{MIXED} ({name})")
    result = func(*plain, **named)
    back = found["elsewhere"] if asked is None else torch.device(asked) == STANDS_FOR
    if name == "copy_":
        back = isinstance(args[0], Elsewhere)

    def wrap(value: Any) -> Any:
        if not isinstance(value, torch.Tensor) or isinstance(value, Elsewhere):
            return value
        return owners.get(id(value)) or Elsewhere(value) if back else value

    return tree_map(wrap, result)
