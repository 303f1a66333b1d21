"""Probes of `MultiHeadAttention(d_model, num_heads)` with `forward(x)`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from grader.lesson.probes import Array, Draw, Op, Probe, call, call_value, op

from .common import (
    DTYPES,
    ELSEWHERE,
    GRADIENTS,
    LONG,
    STRUCTURE,
    make,
    module_gradient,
    saved,
    structure,
    told,
    trained,
    weights,
)

AXES = {
    **dict.fromkeys(("y", "y2", "y3", "y4", "d_x"), ("B", "T", "d_model")),
    **dict.fromkeys(GRADIENTS, ("in", "out")),
}
MAIN = (2, 5, 12, 3)  # B, T, d_model, h
OTHER = (3, 7, 10, 2)
EQUAL = (4, 4, 16, 4)
RUN = call_value("m", "x", to="y")


def probes(seed: int) -> list[Probe]:
    """All probes of this step."""
    return [*_values(seed), *_life(seed), *_kinds(seed)]


def _probe(seed: int, name: str, dims: tuple[int, int, int, int], tags: str, words: str = "",
           script: Sequence[Op] = (RUN,), report: Sequence[str] = ("y",), more: Mapping[str, Array] | None = None,
           start: Sequence[Op] | None = None, **fields: object) -> Probe:  # fmt: skip
    b, t, width, h = dims
    draw = Draw(seed, "module", name)
    sizes = dict(zip(("B", "T", "d_model", "h"), dims, strict=True))
    return Probe(
        id=f"module/{name}",
        step="module",
        tags=frozenset(tags.split()),
        say=told(sizes, words, str(fields.get("dtype", ""))),
        tensors={"x": draw.normal(b, t, width), **weights(draw, width), **(more or {})},  # type: ignore[dict-item]
        script=(*(make(width, h) if start is None else start), *script),
        report=tuple(report),
        axes=AXES,
        sizes=sizes,
        **fields,  # type: ignore[arg-type]
    )


def _values(seed: int) -> list[Probe]:
    draw = Draw(seed, "module", "more")
    edges = {"one-head": (2, 5, 12, 1), "width-one": (2, 3, 5, 5), "one-sample": (1, 5, 12, 3)}
    edges |= {"one-token": (2, 1, 12, 3), "one-of-each": (1, 1, 6, 2)}
    same = _alike(draw)
    large = {
        name: value * 8
        for name, value in weights(Draw(seed, "module", "large"), 12).items()
        if name in "W_q W_k"
    }
    return [
        _probe(seed, "values", MAIN, "values untouched", again=True),
        _probe(seed, "values-other", OTHER, "values untouched"),
        _probe(seed, "values-wide", (2, 7, 24, 4), "values untouched"),
        _probe(seed, "strided", MAIN, "values untouched", "input not contiguous", strided=frozenset("x")),
        _probe(seed, "samples-alike", MAIN, "values", "two equal samples", more=same),
        *(_probe(seed, name, dims, "edges untouched") for name, dims in edges.items()),
        _probe(seed, "long", (1, LONG, 2, 1), "edges long", heavy=True),
        _probe(seed, "large", MAIN, "values", "large scores", more=large, tolerance=2e-3,  # type: ignore[arg-type]
               why="scores in the hundreds, where float32 itself rounds by 1e-5"),
        _probe(seed, "equal", EQUAL, "equal"),
        _probe(seed, "grad", MAIN, "gradient", "gradient", [RUN, module_gradient("y", "c", "x")],
               ("d_x", *GRADIENTS), {"c": draw.normal(2, 5, 12)}, grads=frozenset("x")),
    ]  # fmt: skip


def _alike(draw: Draw) -> dict[str, Array]:
    """An input whose two samples are the same: their answers must be, too."""
    one = draw.normal(1, 5, 12)
    return {"x": one.repeat(2, axis=0)}


def _life(seed: int) -> list[Probe]:
    draw = Draw(seed, "module", "life")
    other = {"x2": draw.normal(3, 8, 12), "x4": draw.normal(2, 5, 12)}
    run2, run3 = call_value("m", "x2", to="y2"), call_value("m", "x", to="y3")
    run4 = call_value("m", "x4", to="y4")
    fresh = make(12, 3, to="n", poured=False)
    cotangent = {"c": draw.normal(2, 5, 12)}
    return [
        _probe(seed, "structure", MAIN, "structure", "a step of training",
               [structure(), RUN, *trained(call_value("m", "x", to="y2"))], (*STRUCTURE, "y2"), cotangent),
        _probe(seed, "structure-used", MAIN, "structure", "after a forward", [RUN, structure()], STRUCTURE),
        _probe(seed, "calls", MAIN, "life", "called four times, twice with other inputs of the first size",
               [RUN, run2, run3, run4], ("y", "y2", "y3", "y4"), other),
        _probe(seed, "train", MAIN, "train", "train, then eval",
               [op("mode", of="m", train=True), RUN, op("mode", of="m", train=False), run3], ("y", "y3")),
        _probe(seed, "state", MAIN, "life", "state_dict into a new one",
               [*saved(fresh), call_value("n", "x", to="y")]),
        _probe(seed, "copy", MAIN, "life", "deepcopy after a forward",
               [RUN, op("copy", of="m", to="n"), call_value("n", "x", to="y3")], ("y", "y3"), grads=frozenset("x")),
        _probe(seed, "refuse", (2, 5, 10, 3), "refuse", "10 is not divisible by 3", (), (),
               start=[call("MultiHeadAttention", 10, 3, to="m")]),
        _probe(seed, "refused-run", (2, 5, 10, 3), "refused-run", "10 is not divisible by 3, then a forward", (RUN,), (),
               start=[call("MultiHeadAttention", 10, 3, to="m"), op("place", of="m", device="cpu")]),
        _probe(seed, "refuse-less", (2, 5, 3, 4), "refuse", "3 is not divisible by 4", (), (),
               start=[call("MultiHeadAttention", 3, 4, to="m")]),
    ]  # fmt: skip


def _kinds(seed: int) -> list[Probe]:
    there = make(12, 3, device="portable")
    found = [_probe(seed, dtype, MAIN, "dtype", dtype=dtype, of_dtype=True) for dtype in DTYPES]
    found += [
        _probe(seed, "device", MAIN, "device", ELSEWHERE, start=there, device="portable", dtype="float32")
    ]
    found += [
        _probe(seed, f"count-{n}", (2, n, 12, 3), "count count-tokens", count=True, diagnose=False)
        for n in (4, 8)
    ]
    found += [_probe(seed, "count-batch", (4, 4, 12, 3), "count count-batch", count=True, diagnose=False)]
    return found
