# typed in the way of the big courses; jaxtyping itself is not installed here, so the shapes are strings
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import torch
from torch import Tensor, nn

if TYPE_CHECKING:
    from jaxtyping import Bool, Float, Int  # noqa: F401


class Attended(NamedTuple):
    heads: Tensor
    weights: Tensor


def attend(
    queries: Float[Tensor, "batch heads queries d_k"],
    keys: Float[Tensor, "batch heads keys d_k"],
    values: Float[Tensor, "batch heads keys d_v"],
    mask: Bool[Tensor, "... queries keys"] | None = None,
    *unused: Any,
    scale: float | None = None,
    softmax_dim: int = -1,
    **more: Any,
) -> tuple[Annotated[Tensor, "batch heads queries d_v"], Annotated[Tensor, "batch heads queries keys"]]:
    scale = queries.shape[-1] ** -0.5 if scale is None else scale
    logits: Float[Tensor, "batch heads queries keys"] = torch.einsum("...qd,...kd->...qk", queries, keys) * scale
    if mask is not None:
        logits = logits.masked_fill(~mask, torch.finfo(logits.dtype).min)
    probabilities = logits.softmax(dim=softmax_dim)
    if mask is not None:
        probabilities = probabilities * mask
    return Attended(torch.einsum("...qk,...kd->...qd", probabilities, values), probabilities)


def project(
    in_features: Float[Tensor, "b t d_in"], q_proj_weight: Float[Tensor, "d_in d_k"], n: Int = 1
) -> Float[Tensor, "b n t d"]:
    if (width := q_proj_weight.shape[1]) % n != 0:
        raise ValueError(f"{width=} is not a multiple of {n=}")
    return torch.einsum("bti,inj->bntj", in_features, q_proj_weight.unflatten(1, (n, width // n)))


class MultiHeadAttention(nn.Module):
    def __init__(self, dimension: int, how_many: int, *args: Any, device: Any = None, dtype: Any = None, **kw: Any):
        super().__init__()
        if dimension % how_many:
            raise ValueError(f"{dimension=} {how_many=}")
        factory = {"device": device, "dtype": dtype}
        self.how_many = how_many
        self.W_q = nn.Linear(dimension, dimension, bias=False, **factory)
        self.W_k = nn.Linear(dimension, dimension, bias=False, **factory)
        self.W_v = nn.Linear(dimension, dimension, bias=False, **factory)
        self.W_o = nn.Linear(dimension, dimension, bias=False, **factory)

    def forward(self, in_features: Float[Tensor, "b t d"]) -> Float[Tensor, "b t d"]:
        q, k, v = (project(in_features, w.weight.T, self.how_many) for w in (self.W_q, self.W_k, self.W_v))
        return self.W_o(attend(q, k, v).heads.transpose(1, 2).flatten(2))


def parameter_count(dimension: int, how_many: int) -> int:
    if dimension % how_many:
        raise ValueError(f"{dimension=} {how_many=}")
    names: Sequence[str] = ("W_q", "W_k", "W_v", "W_o")
    return len(names) * dimension**2


def flop_count(b: int, t: int, d: int, n: int) -> int:
    if d % n:
        raise ValueError(f"{d=} {n=}")
    macs = {"qkv": b * t * d * 3 * d, "scores": b * n * t * t * (d // n), "mix": b * n * t * (d // n) * t}
    macs |= {"out": b * t * d * d}
    return 2 * sum(macs.values())
