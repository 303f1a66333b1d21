"""Keys as tests compute them, and the small attention they are computed with."""

from __future__ import annotations

import contextlib
import io
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import torch
from torch import Tensor, nn

from grader.quiz.drawing.drawn import Drawn, DrawnChoice, DrawnCode

Proof = Callable[[Any], object]

# Pairwise different, none another's square or product of two.
SIZES = {"B": 2, "T": 5, "Tq": 5, "Tk": 7, "h": 3, "d_k": 11, "d_v": 13, "d_model": 17}


@dataclass(frozen=True)
class ShapeKey:
    """A shape that a computation has, and the sizes that its symbols had."""

    shape: tuple[int, ...]
    sizes: Mapping[str, int]


def shape_of(tensor: Tensor, sizes: Mapping[str, int] | None = None) -> ShapeKey:
    return ShapeKey(tuple(tensor.shape), sizes or {})


def given(drawn: Drawn) -> dict[str, int]:
    """The parameters of a draw."""
    values = {name: Fraction(text) for name, text in drawn.values.items()}
    assert all(value.denominator == 1 for value in values.values())
    return {name: int(value) for name, value in values.items()}


def texts(drawn: DrawnChoice | DrawnCode) -> list[str]:
    """The options in the bank's order, without the dress of code."""
    return [option.text.strip("`") for option in sorted(drawn.options, key=lambda option: option.place)]


def code_in(text: str) -> str:
    """The one piece of code in a text."""
    _, code, _ = text.split("`")
    return code


def which(items: Iterable[str], holds: Callable[[str], bool]) -> list[bool]:
    """For each option whether it holds; an option that raises does not."""
    found = []
    for item in items:
        try:
            found.append(bool(holds(item)))
        except (RuntimeError, TypeError, IndexError):
            found.append(False)
    return found


def value_of(expression: str, /, **names: object) -> Any:
    return eval(expression, {"torch": torch, "nn": nn, "F": nn.functional, "math": math}, dict(names))


def run(code: str, **names: object) -> dict[str, Any]:
    """The names that the code leaves behind."""
    space: dict[str, Any] = {"torch": torch, "nn": nn, "F": nn.functional, "math": math, **names}
    exec(compile(code, "<question>", "exec"), space)
    return space


def printed(code: str) -> str:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        run(code)
    return out.getvalue().strip()


def with_line(code: str, number: int, line: str) -> str:
    """The code with one line replaced; the replacement keeps the indentation."""
    lines = code.split("\n")
    old = lines[number - 1]
    lines[number - 1] = old[: len(old) - len(old.lstrip())] + line
    return "\n".join(lines)


def numbers(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def same(a: Tensor, b: Tensor) -> bool:
    return a.shape == b.shape and torch.allclose(a, b, rtol=1e-9, atol=1e-9)


# --- the formula, head by head, as slowly as it is written -------------------------------------------


def split(y: Tensor, h: int) -> Tensor:
    """(B, T, h·d) -> (B, h, T, d): block i of the columns is head i."""
    return torch.stack(y.chunk(h, dim=-1), dim=1)


def join(heads: Tensor) -> Tensor:
    """(B, h, T, d) -> (B, T, h·d)."""
    return torch.cat(heads.unbind(1), dim=-1)


def attend(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """The formula with True = may be attended to; a row without any key is zero."""
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    weights = torch.softmax(scores if mask is None else scores.masked_fill(~mask, -math.inf), -1).nan_to_num(
        0.0
    )
    return weights @ v, weights


@dataclass(frozen=True)
class Weights:
    """W_Q, W_K, W_V and W_O in the formula's orientation (in, out)."""

    q: Tensor
    k: Tensor
    v: Tensor
    o: Tensor

    @classmethod
    def random(cls, d_model: int, h: int, d_k: int | None = None, d_v: int | None = None) -> Weights:
        d_k = d_model // h if d_k is None else d_k
        d_v = d_model // h if d_v is None else d_v
        widths = ((d_model, h * d_k), (d_model, h * d_k), (d_model, h * d_v), (h * d_v, d_model))
        return cls(*(numbers(*width, seed=n) for n, width in enumerate(widths)))

    def count(self) -> int:
        return sum(weight.numel() for weight in (self.q, self.k, self.v, self.o))


def attention(
    weights: Weights, h: int, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> Tensor:
    """MultiHead(Q, K, V) of the lesson."""
    heads, _ = attend(
        split(query @ weights.q, h), split(key @ weights.k, h), split(value @ weights.v, h), mask
    )
    return join(heads) @ weights.o
