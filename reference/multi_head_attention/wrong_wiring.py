"""Wrong methods that run the class of `module` and `cross`: which weight meets what, what is kept, added."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import dropout
from wrong_module import Attention, Heads

# Which weight meets what?


def picked(*order: str) -> Callable[[Attention], Heads]:
    """Matrices by name, in the order in which queries, keys and values get them."""

    def matrices(self: Attention) -> Heads:
        w_q, w_k, w_v = (getattr(self, name).weight.T for name in order)
        return w_q, w_k, w_v

    return matrices


def fused(self: Attention) -> Tensor:
    """(d_model, 3·d_model), as a fused layer keeps them: all of Q, then K, then V."""
    return torch.cat(Attention.matrices(self), dim=1)


def heads_before_kinds(self: Attention) -> Heads:
    """The fused columns read as (h, 3, d_k): one head's q, k and v side by side."""
    columns = fused(self).unflatten(1, (self.num_heads, 3, -1))
    return columns[:, :, 0].flatten(1), columns[:, :, 1].flatten(1), columns[:, :, 2].flatten(1)


def kinds_last(self: Attention) -> Heads:
    """The fused columns read as (h, d_k, 3): every third column is a query's."""
    columns = fused(self)
    return columns[:, 0::3], columns[:, 1::3], columns[:, 2::3]


def raw_values(self: Attention, query: Tensor, key: Tensor, value: Tensor) -> Heads:
    """The values are cut into heads, but not projected."""
    q, k, _ = Attention.project(self, query, key, value)
    return q, k, value.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)


def features_first(self: Attention) -> Heads:
    """The columns are read as (d_k, h)."""
    w_q, w_k, w_v = (w.unflatten(1, (-1, self.num_heads)).mT.flatten(1) for w in Attention.matrices(self))
    return w_q, w_k, w_v


def features_first_joined(self: Attention, heads: Tensor) -> Tensor:
    """And merged as (d_k, h) again."""
    return Attention.join(self, heads).unflatten(-1, (self.num_heads, -1)).mT.flatten(-2)


def turned(self: Attention) -> Heads:
    """The orientation of nn.Linear for weights kept as (in, out)."""
    w_q, w_k, w_v = (w.T for w in Attention.matrices(self))
    return w_q, w_k, w_v


def mixed_by_turned(self: Attention, heads: Tensor) -> Tensor:
    """The same for W_O."""
    return self.join(heads) @ self.W_o.weight


def one_block_for_all(self: Attention, heads: Tensor) -> Tensor:
    """Each head is multiplied by the same d_k × d_k corner of W_O."""
    width = heads.shape[-1]
    return self.join(heads @ self.W_o.weight.T[:width, :width])


# What is kept, what is added?


def heads_kept(self: Attention, q: Tensor, k: Tensor, v: Tensor, *mask: Tensor | None) -> Tensor:
    """The weights are kept with everything that hangs on them."""
    from attend import attend

    heads, self.kept = attend(q, k, v, *mask)
    return heads


def first_keys_kept(self: Attention, query: Tensor, key: Tensor, value: Tensor) -> Heads:
    """Keys and values of the first call serve all later ones."""
    q, k, v = Attention.project(self, query, key, value)
    if hasattr(self, "cache"):
        return q, *self.cache
    self.cache = (k.detach(), v.detach())
    return q, k, v


def keys_kept_by_shape(self: Attention, query: Tensor, key: Tensor, value: Tensor) -> Heads:
    """Keys and values of the first call with inputs of a shape serve all later ones of that shape."""
    q, k, v = Attention.project(self, query, key, value)
    if getattr(self, "cached_for", None) != key.shape:
        self.cached_for, self.cache = key.shape, (k.detach(), v.detach())
        return q, k, v
    return q, *self.cache


def first_keys_kept_whole(self: Attention, query: Tensor, key: Tensor, value: Tensor) -> Heads:
    """The same, with everything that hangs on them."""
    q, k, v = Attention.project(self, query, key, value)
    if not hasattr(self, "cache"):
        self.cache = (k, v)
    return q, *self.cache


def keys_piled_up(self: Attention, query: Tensor, key: Tensor, value: Tensor) -> Heads:
    """Keys and values of all earlier calls stay in sight."""
    q, k, v = Attention.project(self, query, key, value)
    if hasattr(self, "cache"):
        k, v = torch.cat((self.cache[0], k), dim=2), torch.cat((self.cache[1], v), dim=2)
    self.cache = (k, v)
    return q, k, v


def plus_query(_self: Attention, mixed: Tensor, query: Tensor) -> Tensor:
    """A residual connection inside."""
    return mixed + query


def dropped(self: Attention, mixed: Tensor, _query: Tensor) -> Tensor:
    """A tenth is dropped in training."""
    return dropout(mixed, 0.1, self.training)


def weights_dropped(self: Attention, q: Tensor, k: Tensor, v: Tensor, *mask: Tensor | None) -> Tensor:
    """A tenth of the weights is dropped in training."""
    from attend import attend

    _, weights = attend(q, k, v, *mask)
    return dropout(weights, 0.1, self.training) @ v


def weights_for_heads(_self: Attention, q: Tensor, k: Tensor, v: Tensor, *mask: Tensor | None) -> Tensor:
    """The weights go on where the heads should."""
    from attend import attend

    _, weights = attend(q, k, v, *mask)
    return weights


def in_a_tuple(_self: Attention, mixed: Tensor, _query: Tensor) -> tuple[Tensor, None]:
    """A pair, as nn.MultiheadAttention returns one when no weights are asked for."""
    return mixed, None


def with_weights(
    self: Attention, query: Tensor, key: Tensor, value: Tensor, *mask: Tensor | None
) -> tuple[Tensor, Tensor]:
    """The result and the weights."""
    from attend import attend

    heads, weights = attend(*self.project(query, key, value), *mask)
    return self.finish(self.mix(heads), query), weights


def unsummed(_self: Attention, q: Tensor, k: Tensor, v: Tensor, *mask: Tensor | None) -> Tensor:
    """Q and k are multiplied feature by feature and never summed, so each feature has weights of its own."""
    scores = q.unsqueeze(3) * k.unsqueeze(2) / q.shape[-1] ** 0.5
    if not mask or mask[0] is None:
        return (scores.softmax(3) * v.unsqueeze(2)).sum(3)
    keep = mask[0].unsqueeze(-1)
    hidden = scores.masked_fill(~keep, torch.finfo(scores.dtype).min)
    weights = hidden.softmax(3).masked_fill(~keep.any(3, keepdim=True), 0.0)
    return (weights * v.unsqueeze(2)).sum(3)


def one_long_sequence(
    self: Attention, query: Tensor, key: Tensor, value: Tensor, *mask: Tensor | None
) -> Any:
    """All samples' tokens stand in one row, so they attend to each other."""
    heads = self.attend(*self.project(*(x.flatten(0, 1).unsqueeze(0) for x in (query, key, value))), *mask)
    return self.finish(self.mix(heads), query).view_as(query)


MISTAKES: dict[str, dict[str, Callable[..., Any]]] = {
    "qk-weights-swapped": {"matrices": picked("W_k", "W_q", "W_v")},
    "kv-weights-swapped": {"matrices": picked("W_q", "W_v", "W_k")},
    "fused-unpack-names-vkq": {"matrices": picked("W_v", "W_k", "W_q")},
    "fused-unpack-names-kvq": {"matrices": picked("W_v", "W_q", "W_k")},
    "fused-unpack-names-vqk": {"matrices": picked("W_k", "W_v", "W_q")},
    "fused-order-h3d": {"matrices": heads_before_kinds},
    "fused-order-hd3": {"matrices": kinds_last},
    "qkv-one-projection": {"matrices": picked("W_q", "W_q", "W_q")},
    "qkv-one-projection-qk": {"matrices": picked("W_q", "W_q", "W_v")},
    "qkv-one-projection-kv": {"matrices": picked("W_q", "W_k", "W_k")},
    "qkv-one-projection-qv": {"matrices": picked("W_q", "W_k", "W_q")},
    "split-order-dk-h-consistent": {"matrices": features_first, "join": features_first_joined},
    "weight-orientation-module": {"matrices": turned, "mix": mixed_by_turned},
    "no-v-projection": {"project": raw_values},
    "wo-per-head-shared": {"mix": one_block_for_all},
    "scores-unsummed": {"attend": unsummed},
    "batch-flattened": {"run": one_long_sequence},
    "stored-weights-graph": {"attend": heads_kept},
    "state-across-calls": {"project": first_keys_kept},
    "state-across-calls-shape": {"project": keys_kept_by_shape},
    "state-across-calls-graph": {"project": first_keys_kept_whole},
    "state-across-calls-piled": {"project": keys_piled_up},
    "residual-or-norm-inside-residual": {"finish": plus_query},
    "dropout-in-train": {"finish": dropped},
    "dropout-in-train-weights": {"attend": weights_dropped},
    "weights-joined": {"attend": weights_for_heads},
    "module-returns-tuple": {"run": with_weights},
    "module-returns-tuple-none": {"finish": in_a_tuple},
}
