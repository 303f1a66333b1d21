"""`project` as a row of stages, and what people put in their place."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor


def divisible(width: int, h: int, _d_model: int) -> int:
    """Right: the width of one head, or an error that says why there is none."""
    if h < 1 or width % h:
        raise ValueError(f"{width} columns cannot be shared by {h} heads")
    return width // h


def as_is(tensor: Tensor) -> Tensor:
    """Right: hands the tensor on."""
    return tensor


def product(x: Tensor, w: Tensor, _h: int) -> Tensor:
    """Right: (B, T, d_model) times (d_model, h·d_k)."""
    return x @ w


def split(y: Tensor, h: int, d_k: int) -> Tensor:
    """Right: (B, T, h·d_k) to (B, T, h, d_k) to (B, h, T, d_k)."""
    return y.reshape(*y.shape[:2], h, d_k).transpose(1, 2)


def build(
    *,
    width: Callable[..., int] = divisible,
    read_x: Callable[[Tensor], Tensor] = as_is,
    read_w: Callable[[Tensor], Tensor] = as_is,
    multiply: Callable[..., Tensor] = product,
    bend: Callable[[Tensor], Tensor] = as_is,
    cut: Callable[..., Tensor] = split,
    store: Callable[[Tensor], Tensor] = as_is,
) -> dict[str, object]:
    """The function `project` with some stages replaced."""

    def project(x: Tensor, w: Tensor, num_heads: int) -> Tensor:
        """The heads (B, h, T, d_k) of x (B, T, d_model) and w (d_model, h·d_k)."""
        d_k = width(w.shape[-1], num_heads, x.shape[-1])
        y = bend(multiply(read_x(x), read_w(w), num_heads))
        return store(cut(y, num_heads, d_k))

    return {"project": project}


# How wide is a head?


def unchecked(width: int, h: int, _d_model: int) -> int:
    """Whether it goes in evenly is never asked."""
    return width // h


def float_width(width: int, h: int, _d_model: int) -> float:
    """True division: 12 / 3 is 4.0, and no size is a float."""
    return width / h


def of_input(_width: int, h: int, d_model: int) -> int:
    """The width of x is shared out, not the columns of w."""
    return divisible(d_model, h, d_model)


# What is multiplied?


def view_rows(x: Tensor) -> Tensor:
    """A view wants memory in order; a transposed x has it not."""
    return x.view(-1, x.shape[-1]).view(x.shape)


def transposed(x: Tensor, w: Tensor, _h: int) -> Tensor:
    """The orientation of nn.Linear, (out, in), for a weight that is (in, out)."""
    return x @ w.T


def sliced_input(x: Tensor, w: Tensor, h: int) -> Tensor:
    """The input is cut into h slices first; each slice meets only its own small block of w."""
    pairs = zip(x.chunk(h, dim=-1), w.chunk(h, dim=0), strict=True)
    return torch.cat([part @ rows.chunk(h, dim=-1)[head] for head, (part, rows) in enumerate(pairs)], dim=-1)


def sliced_input_whole_weight(x: Tensor, w: Tensor, h: int) -> Tensor:
    """The input is cut into h slices first, and each slice is too narrow for w."""
    return x.view(*x.shape[:2], h, x.shape[-1] // h) @ w


def first_block(x: Tensor, w: Tensor, h: int) -> Tensor:
    """All heads use the first block of columns."""
    return (x @ w[:, : w.shape[-1] // h]).repeat(1, 1, h)


# How is the result cut?


def view_straight(y: Tensor, h: int, d_k: int) -> Tensor:
    """(B, T, h·d_k) is only relabelled as (B, h, T, d_k)."""
    return y.reshape(y.shape[0], h, y.shape[1], d_k)


def view_merged(y: Tensor, h: int, d_k: int) -> Tensor:
    """(B, T, h·d_k) is only relabelled as (B·h, T, d_k)."""
    return y.reshape(y.shape[0] * h, y.shape[1], d_k)


def features_first(y: Tensor, h: int, d_k: int) -> Tensor:
    """Cut as (d_k, h): a head takes every h-th column."""
    return y.reshape(*y.shape[:2], d_k, h).permute(0, 3, 1, 2)


def in_place(y: Tensor, h: int, d_k: int) -> Tensor:
    """(B, T, h, d_k), heads still behind the tokens."""
    return y.reshape(*y.shape[:2], h, d_k)


def tokens_last(y: Tensor, h: int, d_k: int) -> Tensor:
    """(B, h, d_k, T): tokens and features have changed places too."""
    return y.reshape(*y.shape[:2], h, d_k).permute(0, 2, 3, 1)


def heads_outermost(y: Tensor, h: int, d_k: int) -> Tensor:
    """(h, B, T, d_k)."""
    return y.reshape(*y.shape[:2], h, d_k).permute(2, 0, 1, 3)


def heads_then_batch(y: Tensor, h: int, _d_k: int) -> Tensor:
    """The merged axis is built head by head and taken apart sample by sample."""
    return torch.cat(y.chunk(h, dim=-1)).view(y.shape[0], h, y.shape[1], -1)


def batch_cut(y: Tensor, h: int, _d_k: int) -> Tensor:
    """The batch is divided by the number of heads, not the width."""
    return y.reshape(y.shape[0] // h, h, *y.shape[1:])


def literal_sizes(y: Tensor, h: int, d_k: int) -> Tensor:
    """B and T are the numbers of one example."""
    return y.reshape(2, 10, h, d_k).transpose(1, 2)


def one_head(y: Tensor, _h: int, _d_k: int) -> Tensor:
    """One head as wide as all."""
    return y.unsqueeze(1)


def whole_for_each(y: Tensor, h: int, _d_k: int) -> Tensor:
    """Every head keeps all columns."""
    return y.unsqueeze(1).repeat(1, h, 1, 1)


def truncated(y: Tensor, h: int, d_k: int) -> Tensor:
    """The columns that do not go in evenly are dropped."""
    return split(y[..., : h * d_k], h, d_k)


# What is handed back?


def cpu_copy(y: Tensor) -> Tensor:
    """The heads are written into a tensor that always lives on the CPU."""
    kept = torch.zeros(y.shape, dtype=y.dtype)
    for head in range(y.shape[1]):
        kept[:, head] = y[:, head]
    return kept


MISTAKES: dict[str, dict[str, Callable[..., object]]] = {
    "split-scramble-4d": {"cut": view_straight},
    "split-scramble-merged": {"cut": view_merged},
    "split-order-dk-h": {"cut": features_first},
    "heads-not-moved": {"cut": in_place},
    "split-tokens-last": {"cut": tokens_last},
    "heads-before-batch": {"cut": heads_outermost},
    "head-batch-order": {"cut": heads_then_batch},
    "batch-divided-by-heads": {"cut": batch_cut},
    "hardcoded-b-or-t": {"cut": literal_sizes},
    "single-head-only": {"cut": one_head},
    "wide-heads-project": {"cut": whole_for_each},
    "nondivisible-truncated": {"width": unchecked, "cut": truncated},
    "nondivisible-unchecked-project": {"width": unchecked},
    "head-dim-float": {"width": float_width},
    "head-width-from-d-model": {"width": of_input},
    "weight-orientation": {"multiply": transposed},
    "split-before-project": {"multiply": sliced_input},
    "split-before-project-whole": {"multiply": sliced_input_whole_weight},
    "heads-share-projection": {"multiply": first_block},
    "relu-on-projections": {"bend": torch.relu},
    "view-on-noncontiguous-input": {"read_x": view_rows},
    "squeeze-eats-axis-project": {"store": torch.squeeze},
    "graph-cut-x": {"read_x": torch.detach},
    "graph-cut-w": {"read_w": torch.detach},
    "dtype-literal-project": {"read_x": Tensor.float, "read_w": Tensor.float},
    "dtype-literal-project-double": {"read_x": Tensor.double, "read_w": Tensor.double},
    "cpu-constant-project": {"store": cpu_copy},
    "cuda-literal-project": {"read_x": Tensor.cuda, "read_w": Tensor.cuda},
}
