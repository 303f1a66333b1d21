"""Wrong methods that make the class of `module` and `cross`: its arguments, its layers, how it keeps them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from wrong_module import Attention, Heads

# What does the constructor ask?


def turned_arguments(_self: Attention, d_model: int, num_heads: int) -> tuple[int, int]:
    """The constructor takes (num_heads, d_model)."""
    return num_heads, d_model


def unchecked(_self: Attention, _d_model: int, _num_heads: int) -> None:
    """Any number of heads will do, for now."""


def cut_unevenly(self: Attention, *inputs: Tensor) -> Heads:
    """No part of it asks whether the heads can share d_model, so a reshape stumbles."""
    made = [x @ w for x, w in zip(inputs, self.matrices(), strict=True)]
    q, k, v = (y.reshape(*y.shape[:2], self.num_heads, -1).transpose(1, 2) for y in made)
    return q, k, v


def truncated_projections(self: Attention, d_model: int, num_heads: int) -> None:
    """As many columns as the heads can share."""
    width = d_model // num_heads * num_heads
    self.W_q, self.W_k, self.W_v = (nn.Linear(d_model, width, bias=False) for _ in range(3))


def truncated_output(self: Attention, d_model: int, num_heads: int) -> None:
    """As many rows as the heads have columns."""
    self.W_o = nn.Linear(d_model // num_heads * num_heads, d_model, bias=False)


def without_super(self: Attention, d_model: int, num_heads: int) -> None:
    """nn.Module is never set up."""
    self.num_heads = num_heads
    self.make_projections(d_model, num_heads)
    self.make_output(d_model, num_heads)


# What does it make?


def biased_projections(self: Attention, d_model: int, _num_heads: int) -> None:
    """nn.Linear has a bias unless told otherwise."""
    self.W_q, self.W_k, self.W_v = (nn.Linear(d_model, d_model) for _ in range(3))


def biased_output(self: Attention, d_model: int, _num_heads: int) -> None:
    """nn.Linear has a bias unless told otherwise."""
    self.W_o = nn.Linear(d_model, d_model)


def wide_projections(self: Attention, d_model: int, num_heads: int) -> None:
    """Every head is as wide as the whole."""
    self.W_q, self.W_k, self.W_v = (nn.Linear(d_model, num_heads * d_model, bias=False) for _ in range(3))


def small_projections(self: Attention, d_model: int, num_heads: int) -> None:
    """One head's width, for all heads."""
    self.W_q, self.W_k, self.W_v = (nn.Linear(d_model, d_model // num_heads, bias=False) for _ in range(3))


def repeated_columns(self: Attention) -> Heads:
    """The same few columns for every head."""
    w_q, w_k, w_v = (w.repeat(1, self.num_heads) for w in Attention.matrices(self))
    return w_q, w_k, w_v


def same_layers(self: Attention, d_model: int, num_heads: int) -> None:
    """A list multiplied by h holds one layer h times."""
    for name in ("W_q", "W_k", "W_v"):
        layer = nn.Linear(d_model, d_model // num_heads, bias=False)
        setattr(self, name, nn.ModuleList([layer] * num_heads))


def listed_columns(self: Attention) -> Heads:
    """The columns of all layers of a list, side by side."""
    w_q, w_k, w_v = (
        torch.cat([layer.weight.T for layer in kept], dim=1) for kept in (self.W_q, self.W_k, self.W_v)
    )
    return w_q, w_k, w_v


def wide_output(self: Attention, d_model: int, num_heads: int) -> None:
    """W_O for heads as wide as the whole."""
    self.W_o = nn.Linear(num_heads * d_model, d_model, bias=False)


def narrow_output(self: Attention, d_model: int, num_heads: int) -> None:
    """W_O for one head."""
    self.W_o = nn.Linear(d_model // num_heads, d_model, bias=False)


def output_of_input_too(self: Attention, d_model: int, _num_heads: int) -> None:
    """W_O takes the heads and the input beside them."""
    self.W_o = nn.Linear(2 * d_model, d_model, bias=False)


def heads_and_input(
    self: Attention, query: Tensor, key: Tensor, value: Tensor, *mask: Tensor | None
) -> Tensor:
    """The input goes into W_O beside the heads."""
    heads = self.join(self.attend(*self.project(query, key, value), *mask))
    return self.W_o(torch.cat((query, heads), dim=-1))


def normed_output(self: Attention, d_model: int, num_heads: int) -> None:
    """A layer norm with parameters of its own beside W_O."""
    Attention.make_output(self, d_model, num_heads)
    self.norm = nn.LayerNorm(d_model)


def normed(self: Attention, mixed: Tensor, query: Tensor) -> Tensor:
    """Residual and norm, which belong to the block around."""
    return self.norm(mixed + query)


def temperature_too(self: Attention, d_model: int, num_heads: int) -> None:
    """A scale that is trained."""
    Attention.make_output(self, d_model, num_heads)
    self.scale = nn.Parameter(torch.ones(1))


# How does it keep them?


def listed_projections(self: Attention, d_model: int, num_heads: int) -> None:
    """A plain list hides its layers from PyTorch."""
    width = d_model // num_heads
    for name in ("W_q", "W_k", "W_v"):
        setattr(self, name, [nn.Linear(d_model, width, bias=False) for _ in range(num_heads)])


def nothing_made(_self: Attention, _d_model: int, _num_heads: int) -> None:
    """Not made here."""


def made_in_forward(
    self: Attention, query: Tensor, key: Tensor, value: Tensor, *mask: Tensor | None
) -> Tensor:
    """New random layers at every call."""
    Attention.make_projections(self, query.shape[-1], self.num_heads)
    Attention.make_output(self, query.shape[-1], self.num_heads)
    return Attention.run(self, query, key, value, *mask)


def plain_tensor(self: Attention, d_model: int, _num_heads: int) -> None:
    """A tensor that is no parameter."""
    self.W_o = torch.randn(d_model, d_model) / d_model**0.5


def buffer(self: Attention, d_model: int, _num_heads: int) -> None:
    """A buffer moves and is saved, but no optimiser finds it."""
    self.register_buffer("W_o", torch.randn(d_model, d_model) / d_model**0.5)


def listed_output(self: Attention, d_model: int, _num_heads: int) -> None:
    """A plain list hides W_O from PyTorch."""
    self.W_o = [nn.Linear(d_model, d_model, bias=False)]


def mixed_by_tensor(self: Attention, heads: Tensor) -> Tensor:
    """W_O is no layer, so it is multiplied as it is."""
    from output import output

    return output(self.join(heads), self.W_o)


def unmixed(self: Attention, heads: Tensor) -> Tensor:
    """W_O is left out."""
    return self.join(heads)


MISTAKES: dict[str, dict[str, Callable[..., Any]]] = {
    "ctor-args-swapped": {"arguments": turned_arguments},
    "nondivisible-unchecked": {"check": unchecked},
    "nondivisible-unchecked-reshape": {"check": unchecked, "project": cut_unevenly},
    "nondivisible-truncated-module": {
        "check": unchecked,
        "make_projections": truncated_projections,
        "make_output": truncated_output,
    },
    "no-super-init": {"__init__": without_super},
    "bias-mismatch": {"make_projections": biased_projections, "make_output": biased_output},
    "bias-mismatch-wo": {"make_output": biased_output},
    "wide-heads": {"make_projections": wide_projections, "make_output": wide_output},
    "heads-share-projection-module": {"make_projections": small_projections, "matrices": repeated_columns},
    "list-times-n": {"make_projections": same_layers, "matrices": listed_columns},
    "wo-wrong-width": {"make_output": wide_output},
    "wo-wrong-width-head": {"make_output": narrow_output},
    "concat-with-input": {"make_output": output_of_input_too, "run": heads_and_input},
    "heads-in-python-list": {"make_projections": listed_projections, "matrices": listed_columns},
    "params-in-forward": {
        "make_projections": nothing_made,
        "make_output": nothing_made,
        "run": made_in_forward,
    },
    "wo-unregistered": {"make_output": plain_tensor, "mix": mixed_by_tensor},
    "wo-unregistered-list": {"make_output": listed_output},
    "wo-unregistered-buffer": {"make_output": buffer, "mix": mixed_by_tensor},
    "no-wo": {"make_output": nothing_made, "mix": unmixed},
    "wo-defined-unused": {"mix": unmixed},
    "residual-or-norm-inside-post-norm": {"make_output": normed_output, "finish": normed},
    "extra-parameter": {"make_output": temperature_too},
}
