"""The class of `module` and `cross` as a row of methods; wrong_structure and wrong_wiring replace them.

The solution's neighbours are imported when they are called, so that their own mistakes are in them by then.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import Tensor, nn

Heads = tuple[Tensor, Tensor, Tensor]


class Attention(nn.Module):
    """Right: four weights, registered and used, and the four steps in a row."""

    def __init__(self, d_model: int, num_heads: int) -> None:
        super().__init__()
        d_model, num_heads = self.arguments(d_model, num_heads)
        self.check(d_model, num_heads)
        self.num_heads = num_heads
        self.make_projections(d_model, num_heads)
        self.make_output(d_model, num_heads)

    def arguments(self, d_model: int, num_heads: int) -> tuple[int, int]:
        """Right: in the order in which they were given."""
        return d_model, num_heads

    def check(self, d_model: int, num_heads: int) -> None:
        """Right: says at once when the heads cannot share d_model."""
        if num_heads < 1 or d_model % num_heads:
            raise ValueError(f"d_model = {d_model} cannot be shared by {num_heads} heads")

    def make_projections(self, d_model: int, _num_heads: int) -> None:
        """Right: one layer each for queries, keys and values."""
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)

    def make_output(self, d_model: int, _num_heads: int) -> None:
        """Right: W_O is a layer too."""
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def matrices(self) -> Heads:
        """Right: W_Q, W_K and W_V, (in, out)."""
        return self.W_q.weight.T, self.W_k.weight.T, self.W_v.weight.T

    def project(self, query: Tensor, key: Tensor, value: Tensor) -> Heads:
        """Right: each input meets its own weight."""
        from project import project

        w_q, w_k, w_v = self.matrices()
        return (
            project(query, w_q, self.num_heads),
            project(key, w_k, self.num_heads),
            project(value, w_v, self.num_heads),
        )

    def attend(self, q: Tensor, k: Tensor, v: Tensor, *mask: Tensor | None) -> Tensor:
        """Right: the heads, and nothing kept."""
        from attend import attend

        heads, _ = attend(q, k, v, *mask)
        return heads

    def mix(self, heads: Tensor) -> Tensor:
        """Right: joined, then mixed by W_O."""
        from output import output

        return output(self.join(heads), self.W_o.weight.T)

    def join(self, heads: Tensor) -> Tensor:
        """Right: side by side."""
        from concat import concat

        return concat(heads)

    def finish(self, mixed: Tensor, _query: Tensor) -> Any:
        """Right: the result alone."""
        return mixed

    def run(self, query: Tensor, key: Tensor, value: Tensor, *mask: Tensor | None) -> Any:
        """Queries (B, Tq, d_model) over keys and values (B, Tk, d_model) -> (B, Tq, d_model)."""
        heads = self.attend(*self.project(query, key, value), *mask)
        return self.finish(self.mix(heads), query)


class SelfAttention(Attention):
    """The class that `module` asks for."""

    def forward(self, x: Tensor) -> Any:
        """Self-attention: x (B, T, d_model) -> (B, T, d_model)."""
        return self.run(x, x, x)


def build(**methods: Callable[..., Any]) -> dict[str, object]:
    """The class with some methods replaced."""
    return {"MultiHeadAttention": type("MultiHeadAttention", (SelfAttention,), methods)}
