from __future__ import annotations

import abc
from dataclasses import dataclass, field

import torch
import torch.nn as nn


@dataclass(frozen=True)
class Config:
    d_model: int
    n_heads: int
    init_range: float = 0.02
    extras: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.d_model % self.n_heads:
            raise ValueError(f"d_model {self.d_model} must be a multiple of n_heads {self.n_heads}")

    @property
    def d_head(self) -> int:
        return self.d_model // self.n_heads


class AbstractAttention(abc.ABC, nn.Module):
    def __init__(self, cfg: Config) -> None:
        super().__init__()
        self.cfg = cfg
        for name in ("W_q", "W_k", "W_v", "W_o"):
            setattr(self, name, nn.Parameter(torch.randn(cfg.d_model, cfg.d_model) * cfg.init_range))

    @abc.abstractmethod
    def inputs(self, *args):
        """what query, key and value are read from"""

    def calculate(self, query, key, value, mask):
        shape = (self.cfg.n_heads, self.cfg.d_head)
        q = torch.matmul(query, self.W_q).unflatten(-1, shape)
        k = torch.matmul(key, self.W_k).unflatten(-1, shape)
        v = torch.matmul(value, self.W_v).unflatten(-1, shape)
        z, _ = attend(q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2), mask)
        return torch.matmul(z.transpose(1, 2).flatten(2), self.W_o)


class MultiHeadAttention(AbstractAttention):
    def __init__(self, d_model: int, num_heads: int) -> None:
        super().__init__(Config(d_model, num_heads))

    def inputs(self, x):
        return x, x, x

    def forward(self, x):
        return self.calculate(*self.inputs(x), mask=None)


class MultiHeadAttention(AbstractAttention):  # type: ignore  # noqa: F811
    def __init__(self, d_model: int, num_heads: int) -> None:
        super().__init__(Config(d_model=d_model, n_heads=num_heads))

    def inputs(self, query, key, value):
        return query, key, value

    def forward(self, query, key, value, mask=None):
        if mask is not None:
            mask = mask.unsqueeze(-3)
        return self.calculate(*self.inputs(query, key, value), mask=mask)


def attend(q, k, v, mask=None):
    attn_scores = q @ k.transpose(-2, -1) / q.size(-1) ** 0.5
    if mask is None:
        pattern = attn_scores.softmax(-1)
    else:
        ignore = torch.finfo(attn_scores.dtype).min
        pattern = torch.where(mask, attn_scores, ignore).softmax(-1).where(mask, 0.0)
    return pattern @ v, pattern


def self_attention(mha, x):
    return mha(x, x, x)


def cross_attention(mha, target, memory):
    return mha(target, memory, memory)
