"""Probes of `to_library(...)` and `library_mask(mask, num_heads)`: float32 on the CPU only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from grader.lesson.probes import Array, Draw, Op, Probe, call, call_torch, call_value, op

from .attend import WEAK, causal, padding
from .common import WEIGHTS, told, weights

AXES = {"y": ("B", "Tq", "d_model")}
MAIN = (2, 5, 7, 12, 3)  # B, Tq, Tk, d_model, h
FACTS = ("batch_first", "training", "in_proj_bias", "out_proj.bias", "bias_k", "num_heads")


def probes(seed: int) -> list[Probe]:
    """All probes of this step."""
    draw = Draw(seed, "library", "masks")
    make = call("to_library", *WEIGHTS, 3, to="m")
    alone = call_value("m", "query", "query", "query", to=("y", "w"))
    across = call_value("m", "query", "key", "value", to=("y", "w"))
    other = (3, 7, 4, 10, 2)
    facts = [
        make,
        op("is", of="m", torch="nn.MultiheadAttention", to="right"),
        op("attributes", of="m", names=FACTS),
    ]
    masks: dict[str, tuple[tuple[int, int, int, int, int], Array]] = {
        "mask": (MAIN, draw.keep(2, 5, 7)),
        "mask-other": (other, draw.keep(3, 7, 4)),
        "mask-causal": ((2, 5, 5, 12, 3), causal(5)[None].repeat(2, axis=0)),
        "mask-all-true": (MAIN, draw.keep(2, 5, 7) | True),
    }
    return [
        _probe(seed, "self", MAIN, "values", "self-attention", [make, alone], again=True),
        _probe(seed, "cross", MAIN, "values", "cross-attention", [make, across]),
        _probe(seed, "other", other, "values", "cross-attention", [call("to_library", *WEIGHTS, 2, to="m"), across]),
        _probe(seed, "one-head", (2, 5, 7, 12, 1), "values", "", [call("to_library", *WEIGHTS, 1, to="m"), across]),
        _probe(seed, "facts", MAIN, "facts", "", facts, ("right", *(f"m.{name}" for name in FACTS)), diagnose=True),
        *(
            _probe(seed, name, dims, "mask", f"mask {mask.shape}, used by an nn.MultiheadAttention", _use(dims),
                   more={"mask": mask})
            for name, (dims, mask) in masks.items()
        ),
        _probe(seed, "mask-large", MAIN, "mask large", "visible scores near -300000, hidden ones near 300000", _use(MAIN),
               more=_low(draw), tolerance=0.2, why=WEAK),
    ]  # fmt: skip


def _low(draw: Draw) -> dict[str, Array]:
    """A padding mask, with inputs and weights whose scores are far below zero, and far above where it hides them."""
    same, keep = np.eye(12), padding((5, 3), 7)[:, 0, 0, :, None]
    return {
        "query": 256 + draw.normal(2, 5, 12) / 4,
        "key": np.where(keep, -600.0, 600.0) + draw.normal(2, 7, 12) / 64,
        "in": _stacked({"W_q": same, "W_k": same, "W_v": draw.normal(12, 12, scale=12**-0.5)}),
        "mask": padding((5, 3), 7)[:, 0].repeat(5, axis=1),
    }


def _use(dims: tuple[int, int, int, int, int]) -> list[Op]:
    """The learner's mask given to a library module that is known to be right."""
    width, h = dims[3], dims[4]
    made = call_torch("nn.MultiheadAttention", width, h, to="m", bias=False, batch_first=True)
    poured = [
        {"op": "load", "into": "m", "weights": {"in_proj_weight": "in"}, "fused": {}},
        {"op": "load", "into": "m", "weights": {"out_proj": "W_o"}, "fused": {}},
    ]
    masked = call("library_mask", "mask", h, to="a")
    return [made, op("place", of="m", device="cpu"), *poured, op("mode", of="m", train=False), masked,
            call_value("m", "query", "key", "value", to=("y", "w"), attn_mask="a")]  # fmt: skip


def _probe(seed: int, name: str, dims: tuple[int, int, int, int, int], tags: str, words: str, script: Sequence[Op],
           report: Sequence[str] = ("y",), more: Mapping[str, Array] | None = None,
           **fields: object) -> Probe:  # fmt: skip
    b, tq, tk, width, _ = dims
    draw = Draw(seed, "library", name)
    sizes = dict(zip(("B", "Tq", "Tk", "d_model", "h"), dims, strict=True))
    three = {
        "query": draw.normal(b, tq, width),
        "key": draw.normal(b, tk, width),
        "value": draw.normal(b, tk, width),
    }
    poured = weights(draw, width)
    return Probe(
        id=f"library/{name}",
        step="library",
        tags=frozenset(tags.split()),
        say=told(sizes, words),
        tensors={**three, **poured, "in": _stacked(poured), **(more or {})},  # type: ignore[dict-item]
        script=tuple(script),
        report=tuple(report),
        dtype="float32",
        axes=AXES,
        sizes=sizes,
        **fields,  # type: ignore[arg-type]
    )


def _stacked(poured: Mapping[str, object]) -> Array:
    """The library's own in_proj_weight (3·d_model, d_model): three transposed weights, one below the other."""
    return np.concatenate([np.asarray(poured[name]).T for name in WEIGHTS[:3]], axis=0)
