"""`cross`: the class for three inputs, its two wrappers, and what people put in their place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import Tensor, nn
from wrong_module import Attention

Inputs = tuple[Tensor, Tensor, Tensor]


class CrossAttention(Attention):
    """The class that `cross` asks for."""

    def sources(self, query: Tensor, key: Tensor, value: Tensor) -> Inputs:
        """Right: what queries, keys and values are made of."""
        return query, key, value

    def head_axis(self, mask: Tensor) -> Tensor:
        """Right: one mask for all heads of a sample, (B, Tq, Tk) to (B, 1, Tq, Tk)."""
        return mask.unsqueeze(1) if mask.dim() == 3 else mask

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Any:
        """Queries (B, Tq, d_model) over keys and values (B, Tk, d_model) -> (B, Tq, d_model)."""
        return self.run(*self.sources(query, key, value), None if mask is None else self.head_axis(mask))


def one_source(mha: nn.Module, x: Tensor) -> Any:
    """Right: x in all three roles."""
    return mha(x, x, x)


def over_memory(mha: nn.Module, target: Tensor, memory: Tensor) -> Any:
    """Right: the target asks, the memory answers."""
    return mha(target, memory, memory)


def build(
    *,
    self_wiring: Callable[..., Any] = one_source,
    cross_wiring: Callable[..., Any] = over_memory,
    **methods: Callable[..., Any],
) -> dict[str, object]:
    """The class and its wrappers with some methods replaced."""

    def self_attention(mha: nn.Module, x: Tensor) -> Any:
        """Self-attention: x (B, T, d_model) -> (B, T, d_model)."""
        return self_wiring(mha, x)

    def cross_attention(mha: nn.Module, target: Tensor, memory: Tensor) -> Any:
        """Cross-attention: target (B, Tq, d_model), memory (B, Tk, d_model) -> (B, Tq, d_model)."""
        return cross_wiring(mha, target, memory)

    made: dict[str, object] = {"self_attention": self_attention, "cross_attention": cross_attention}
    if methods:
        made["MultiHeadAttention"] = type("MultiHeadAttention", (CrossAttention,), methods)
    return made


def fed(*roles: int) -> Callable[..., Inputs]:
    """What queries, keys and values are made of: 0 is `query`, 1 `key`, 2 `value`."""

    def sources(_self: CrossAttention, *given: Tensor) -> Inputs:
        q, k, v = (given[role] for role in roles)
        return q, k, v

    return sources


# What else goes wrong with three inputs?


def memory_cut(_self: CrossAttention, query: Tensor, key: Tensor, value: Tensor) -> Inputs:
    """No gradient reaches the memory."""
    return query, key.detach(), value.detach()


def as_long_as_query(_self: CrossAttention, query: Tensor, key: Tensor, value: Tensor) -> Inputs:
    """Keys and values are cut up with the query's length."""
    return query, key.reshape(query.shape), value.reshape(query.shape)


def value_for_query(_self: CrossAttention, query: Tensor, key: Tensor, value: Tensor) -> Inputs:
    """Queries are made of the values, and cut up with the query's length."""
    return value.reshape(query.shape), key, value


def same_length(_self: CrossAttention, query: Tensor, key: Tensor, value: Tensor) -> Inputs:
    """Memory must be as long as the target, it says."""
    assert query.shape == key.shape == value.shape
    return query, key, value


def no_head_axis(_self: CrossAttention, mask: Tensor) -> Tensor:
    """(B, Tq, Tk) against (B, h, Tq, Tk): samples line up with heads."""
    return mask


def always_head_axis(_self: CrossAttention, mask: Tensor) -> Tensor:
    """(Tq, Tk) becomes (Tq, 1, Tk): queries line up with heads."""
    return mask.unsqueeze(1)


def ignored(_self: CrossAttention, _mask: Tensor) -> None:
    """The mask goes no further."""


def one_argument(mha: nn.Module, x: Tensor) -> Any:
    """The input is handed over once."""
    return mha(x)


def turned_round(mha: nn.Module, target: Tensor, memory: Tensor) -> Any:
    """The memory asks, the target answers."""
    return mha(memory, target, target)


def itself(mha: nn.Module, target: Tensor, _memory: Tensor) -> Any:
    """The target asks and answers."""
    return mha(target, target, target)


def values_of_target(mha: nn.Module, target: Tensor, memory: Tensor) -> Any:
    """Keys of the memory, values of the target."""
    return mha(target, memory, target)


def keys_of_target(mha: nn.Module, target: Tensor, memory: Tensor) -> Any:
    """Keys of the target, values of the memory."""
    return mha(target, target, memory)


MISTAKES: dict[str, dict[str, Callable[..., Any]]] = {
    "kv-args-swapped": {"sources": fed(0, 2, 1)},
    "v-from-key-arg": {"sources": fed(0, 1, 1)},
    "k-from-value-arg": {"sources": fed(0, 2, 2)},
    "v-from-query": {"sources": fed(0, 1, 0)},
    "cross-is-self": {"sources": fed(0, 0, 0)},
    "cross-roles-reversed": {"sources": fed(1, 0, 0)},
    "projection-fed-wrong-input-q": {"sources": fed(2, 1, 2)},
    "projection-fed-wrong-input-q-length": {"sources": value_for_query},
    "projection-fed-wrong-input-k": {"sources": fed(0, 0, 2)},
    "graph-cut-memory": {"sources": memory_cut},
    "kv-reshaped-with-tq": {"sources": as_long_as_query},
    "self-only-assert": {"sources": same_length},
    "mask-3d-hits-heads": {"head_axis": no_head_axis},
    "mask-2d-not-handled": {"head_axis": always_head_axis},
    "mask-not-passed-on": {"head_axis": ignored},
    "self-wiring-once": {"self_wiring": one_argument},
    "cross-roles-reversed-wiring": {"cross_wiring": turned_round},
    "cross-wiring-is-self": {"cross_wiring": itself},
    "v-from-query-wiring": {"cross_wiring": values_of_target},
    "k-from-query-wiring": {"cross_wiring": keys_of_target},
}
