"""`output` as a row of stages, and what people put in their place."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn.functional import layer_norm


def as_is(tensor: Tensor) -> Tensor:
    """Right: hands the tensor on."""
    return tensor


def fitting(width: int, rows: int, _columns: int) -> None:
    """Right: says which two widths do not fit."""
    if width != rows:
        raise ValueError(f"the heads are {width} wide together, W_O takes {rows}")


def product(concatenated: Tensor, w_o: Tensor) -> Tensor:
    """Right: (B, T, h·d_v) times (h·d_v, d_model)."""
    return concatenated @ w_o


def build(
    *,
    check: Callable[[int, int, int], None] = fitting,
    read_x: Callable[[Tensor], Tensor] = as_is,
    read_w: Callable[[Tensor], Tensor] = as_is,
    mix: Callable[[Tensor, Tensor], Tensor] = product,
    finish: Callable[[Tensor], Tensor] = as_is,
) -> dict[str, object]:
    """The function `output` with some stages replaced."""

    def output(concatenated: Tensor, w_o: Tensor) -> Tensor:
        """(B, T, h·d_v), (h·d_v, d_model) -> (B, T, d_model)."""
        check(concatenated.shape[-1], *w_o.shape)
        return finish(mix(read_x(concatenated), read_w(w_o)))

    return {"output": output}


def unchecked(_width: int, _rows: int, _columns: int) -> None:
    """Whether the widths fit is left to torch."""


def speechless(width: int, rows: int, _columns: int) -> None:
    """The error does not say which numbers."""
    if width != rows:
        raise ValueError("the widths do not fit")


def other_side(width: int, _rows: int, columns: int) -> None:
    """The width is compared with what comes out of W_O."""
    fitting(width, columns, columns)


def no_mix(concatenated: Tensor, _w_o: Tensor) -> Tensor:
    """The heads come back as they went in."""
    return concatenated


def transposed(concatenated: Tensor, w_o: Tensor) -> Tensor:
    """The orientation of nn.Linear, (out, in), for a weight that is (in, out)."""
    return concatenated @ w_o.T


def twice(concatenated: Tensor, w_o: Tensor) -> Tensor:
    """W_O is applied to what W_O has made."""
    return concatenated @ w_o @ w_o


def plus_input(concatenated: Tensor, w_o: Tensor) -> Tensor:
    """A residual connection inside."""
    return concatenated + concatenated @ w_o


def elementwise(concatenated: Tensor, w_o: Tensor) -> Tensor:
    """* multiplies number by number."""
    return concatenated * w_o


def normed(mixed: Tensor) -> Tensor:
    """A layer norm inside."""
    return layer_norm(mixed, mixed.shape[-1:])


def viewed(concatenated: Tensor) -> Tensor:
    """A view wants memory in order; a transposed input has it not."""
    return concatenated.view(-1, concatenated.shape[-1]).view(concatenated.shape)


MISTAKES: dict[str, dict[str, Callable[..., object]]] = {
    "no-wo": {"mix": no_mix},
    "output-widths-unchecked": {"check": unchecked},
    "output-error-names-one-width": {"check": speechless},
    "output-checks-wrong-side": {"check": other_side},
    "wo-transposed": {"mix": transposed},
    "wo-twice": {"mix": twice},
    "wo-elementwise": {"mix": elementwise},
    "residual-or-norm-inside-output": {"mix": plus_input},
    "residual-or-norm-inside-norm": {"finish": normed},
    "relu-on-output": {"finish": torch.relu},
    "squeeze-eats-axis-output": {"finish": torch.squeeze},
    "view-on-noncontiguous-input-output": {"read_x": viewed},
    "graph-cut-heads": {"read_x": torch.detach},
    "graph-cut-wo": {"read_w": torch.detach},
    "dtype-literal-output": {"read_x": Tensor.float, "read_w": Tensor.float},
    "dtype-literal-output-double": {"read_x": Tensor.double, "read_w": Tensor.double},
}
