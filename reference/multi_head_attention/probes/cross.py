"""Probes of `MultiHeadAttention` with `forward(query, key, value, mask=None)`, and of its two wrappers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from grader.lesson.probes import Array, Draw, Op, Probe, call, call_value, op

from .attend import WEAK, causal, padding
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
    **dict.fromkeys(("y", "y2", "y3", "y4", "d_query"), ("B", "Tq", "d_model")),
    **dict.fromkeys(("d_key", "d_value"), ("B", "Tk", "d_model")),
    **dict.fromkeys(GRADIENTS, ("in", "out")),
}
MAIN = (2, 5, 7, 12, 3)  # B, Tq, Tk, d_model, h
OTHER = (3, 7, 4, 10, 2)
SELF = (2, 5, 5, 12, 3)
EQUAL = (4, 4, 4, 16, 4)
THREE = ("query", "key", "value")
RUN = call_value("m", *THREE, to="y")
MASKED = call_value("m", *THREE, "mask", to="y")


def probes(seed: int) -> list[Probe]:
    """All probes of this step."""
    return [*_plain(seed), *_masked(seed), *_wired(seed), *_life(seed), *_kinds(seed)]


def _probe(seed: int, name: str, dims: tuple[int, int, int, int, int], tags: str, words: str = "",
           script: Sequence[Op] = (RUN,), report: Sequence[str] = ("y",), more: Mapping[str, Array] | None = None,
           start: Sequence[Op] | None = None, **fields: object) -> Probe:  # fmt: skip
    b, tq, tk, width, h = dims
    draw = Draw(seed, "cross", name)
    sizes = dict(zip(("B", "Tq", "Tk", "d_model", "h"), dims, strict=True))
    three = {
        "query": draw.normal(b, tq, width),
        "key": draw.normal(b, tk, width),
        "value": draw.normal(b, tk, width),
    }
    return Probe(
        id=f"cross/{name}",
        step="cross",
        tags=frozenset(tags.split()),
        say=told(sizes, words, str(fields.get("dtype", ""))),
        tensors={**three, **weights(draw, width), **(more or {})},  # type: ignore[dict-item]
        script=(*(make(width, h) if start is None else start), *script),
        report=tuple(report),
        axes=AXES,
        sizes=sizes,
        **fields,  # type: ignore[arg-type]
    )


def _plain(seed: int) -> list[Probe]:
    edges = {"one-head": (2, 5, 7, 12, 1), "width-one": (2, 3, 7, 5, 5), "one-sample": (1, 5, 7, 12, 3)}
    edges |= {"one-query": (2, 1, 7, 12, 3), "one-key": (2, 5, 1, 12, 3)}
    memory = [call_value("m", "query", "key", "key", to="y")]
    alone = [call_value("m", "query", "query", "query", to="y")]
    more = {"c": Draw(seed, "cross", "cotangent").normal(2, 5, 12)}
    return [
        _probe(seed, "plain", MAIN, "plain untouched", again=True),
        _probe(seed, "plain-other", OTHER, "plain untouched"),
        _probe(seed, "plain-self", SELF, "plain untouched", "three different inputs"),
        _probe(seed, "plain-memory", MAIN, "plain untouched", "key and value the same tensor", memory),
        _probe(seed, "plain-alone", MAIN, "plain untouched", "one tensor used three times", alone),
        _probe(seed, "strided", MAIN, "plain untouched", "inputs not contiguous", strided=frozenset(THREE)),
        *(_probe(seed, name, dims, "plain untouched") for name, dims in edges.items()),
        _probe(seed, "long", (1, 3, LONG, 4, 1), "plain long", heavy=True),
        _probe(seed, "equal", EQUAL, "equal", "three different inputs"),
        _probe(seed, "grad", MAIN, "gradient", "gradient", [RUN, module_gradient("y", "c", THREE)],
               ("d_query", "d_key", "d_value", *GRADIENTS), more, grads=frozenset(THREE)),
        _probe(seed, "grad-mask", MAIN, "gradient", "gradient, mask (Tq, Tk)",
               [MASKED, module_gradient("y", "c", THREE)], ("d_query", "d_key", "d_value", *GRADIENTS),
               {**more, "mask": Draw(seed, "cross", "gm").keep(5, 7)}, grads=frozenset(THREE)),
    ]  # fmt: skip


def _masked(seed: int) -> list[Probe]:
    draw = Draw(seed, "cross", "masks")
    lengths = np.broadcast_to(np.arange(7) < np.array([7, 4])[:, None, None], (2, 5, 7))
    empty = draw.keep(2, 5, 7)
    empty[0, 2] = empty[1, 0] = False
    gone = np.ones((2, 5, 7), dtype=np.bool_)
    gone[1] = False
    keyword = [call_value("m", *THREE, to="y", mask="mask")]
    cases: dict[str, tuple[tuple[int, int, int, int, int], str, Array]] = {
        "padding": (MAIN, "padding mask (B, Tq, Tk)", lengths),
        "2d": (MAIN, "mask (Tq, Tk)", draw.keep(5, 7)),
        "3d": (MAIN, "mask (B, Tq, Tk)", draw.keep(2, 5, 7)),
        "causal": (SELF, "causal mask (T, T)", causal(5)),
        "as-many-heads": ((3, 5, 7, 12, 3), "mask (B, Tq, Tk) with B = h", draw.keep(3, 5, 7)),
        "all-true": (MAIN, "mask all True", np.ones((5, 7), dtype=np.bool_)),
        "empty": (MAIN, "two queries with nothing to attend to", empty),
        "empty-sample": (MAIN, "one sample with no keys", gone),
    }
    equal = {"equal-2d": draw.keep(4, 4), "equal-3d": draw.keep(4, 4, 4)}
    return [
        *(
            _probe(
                seed,
                f"mask-{name}",
                dims,
                f"mask untouched{' empty' * name.startswith('empty')}",
                words,
                [MASKED],
                more={"mask": np.array(mask)},
            )
            for name, (dims, words, mask) in cases.items()
        ),
        _probe(
            seed,
            "grad-empty",
            MAIN,
            "empty-gradient",
            "gradient, two queries with nothing to attend to",
            [MASKED, module_gradient("y", "c", THREE)],
            ("d_query", "d_key", "d_value", *GRADIENTS),
            {"c": draw.normal(2, 5, 12), "mask": empty},
            grads=frozenset(THREE),
        ),
        _probe(
            seed,
            "mask-large",
            MAIN,
            "mask large",
            "all scores near -300000, padding mask",
            [MASKED],
            more={**_low(draw), "mask": padding((5, 3), 7)[:, 0].repeat(5, axis=1)},
            tolerance=0.2,
            why=WEAK,
        ),
        _probe(
            seed,
            "mask-keyword",
            OTHER,
            "mask",
            "mask given by keyword",
            keyword,
            more={"mask": draw.keep(7, 4)},
        ),
        *(
            _probe(seed, f"mask-{n}", EQUAL, "equal", "mask", [MASKED], more={"mask": mask})
            for n, mask in equal.items()
        ),
    ]


def _low(draw: Draw) -> dict[str, Array]:
    """Inputs and weights whose scores are far below zero: no moderate number lies below them."""
    return {
        "query": 256 + draw.normal(2, 5, 12) / 4,
        "key": -600 + draw.normal(2, 7, 12) / 64,
        "W_q": np.eye(12),
        "W_k": np.eye(12),
    }


def _wired(seed: int) -> list[Probe]:
    alone = call("self_attention", "m", "query", to="y")
    across = call("cross_attention", "m", "query", "key", to="y")
    more = {"c": Draw(seed, "cross", "wired").normal(2, 5, 12)}
    return [
        _probe(seed, "self", MAIN, "self", "self_attention(mha, x)", [alone], again=True),
        _probe(seed, "self-other", OTHER, "self", "self_attention(mha, x)", [alone]),
        _probe(seed, "across", MAIN, "across", "cross_attention(mha, target, memory)", [across]),
        _probe(seed, "across-other", OTHER, "across", "cross_attention(mha, target, memory)", [across]),
        _probe(seed, "across-equal", EQUAL, "equal", "cross_attention(mha, target, memory)", [across]),
        _probe(seed, "grad-self", MAIN, "gradient", "gradient of self_attention(mha, x)",
               [alone, module_gradient("y", "c", ["query"])], ("d_query", *GRADIENTS), more,
               grads=frozenset({"query"})),
        _probe(seed, "grad-across", MAIN, "gradient", "gradient of cross_attention(mha, target, memory)",
               [across, module_gradient("y", "c", ["query", "key"])], ("d_query", "d_key", *GRADIENTS), more,
               grads=frozenset({"query", "key"})),
    ]  # fmt: skip


def _life(seed: int) -> list[Probe]:
    draw = Draw(seed, "cross", "life")
    other = {"q2": draw.normal(3, 4, 12), "k2": draw.normal(3, 9, 12)}
    other |= {"q4": draw.normal(2, 5, 12), "k4": draw.normal(2, 7, 12), "v4": draw.normal(2, 7, 12)}
    run4, masked4 = call_value("m", "q4", "k4", "v4", to="y4"), call_value("m", *THREE, "mask4", to="y4")
    run2, run3 = call_value("m", "q2", "k2", "k2", to="y2"), call_value("m", *THREE, to="y3")
    fresh = make(12, 3, to="n", poured=False)
    cotangent = {"c": draw.normal(2, 5, 12)}
    return [
        _probe(seed, "structure", MAIN, "structure", "a step of training",
               [RUN, structure(), *trained(call_value("m", *THREE, to="y2"))], (*STRUCTURE, "y2"), cotangent),
        _probe(seed, "calls", MAIN, "life", "called four times, twice with other inputs of the first size",
               [RUN, run2, run3, run4], ("y", "y2", "y3", "y4"), other),
        _probe(seed, "calls-mask", MAIN, "life", "with a mask, then without, then with another mask",
               [MASKED, run3, masked4], ("y", "y3", "y4"), {"mask": draw.keep(5, 7), "mask4": draw.keep(5, 7)}),
        _probe(seed, "train", MAIN, "train", "train, then eval",
               [op("mode", of="m", train=True), RUN, op("mode", of="m", train=False), run3], ("y", "y3")),
        _probe(seed, "state", MAIN, "life", "state_dict into a new one",
               [*saved(fresh), call_value("n", *THREE, to="y")]),
        _probe(seed, "copy", MAIN, "life", "deepcopy after a forward",
               [RUN, op("copy", of="m", to="n"), call_value("n", *THREE, to="y3")], ("y", "y3"),
               grads=frozenset(THREE)),
        _probe(seed, "refused-run", (2, 5, 7, 10, 3), "refused-run", "10 is not divisible by 3, then a forward",
               report=(), start=[call("MultiHeadAttention", 10, 3, to="m"), op("place", of="m", device="cpu")]),
        _probe(seed, "refuse", (2, 5, 7, 10, 3), "refuse", "10 is not divisible by 3", (), (),
               start=[call("MultiHeadAttention", 10, 3, to="m")]),
    ]  # fmt: skip


def _kinds(seed: int) -> list[Probe]:
    there = make(12, 3, device="portable")
    mask = {"mask": Draw(seed, "cross", "kinds").keep(2, 5, 7)}
    found = [_probe(seed, dtype, MAIN, "dtype", dtype=dtype, of_dtype=True) for dtype in DTYPES]
    found += [
        _probe(seed, f"{d}-mask", MAIN, "dtype", "mask", [MASKED], more=mask, dtype=d, of_dtype=True)
        for d in DTYPES
    ]
    found += [
        _probe(seed, "device", MAIN, "device", ELSEWHERE, start=there, device="portable", dtype="float32")
    ]
    found += [
        _probe(
            seed,
            "device-mask",
            MAIN,
            "device",
            ELSEWHERE,
            [MASKED],
            more=mask,
            start=there,
            device="portable",
            dtype="float32",
        )
    ]
    for n in (4, 8):
        found.append(
            _probe(seed, f"count-{n}", (2, n, n, 12, 3), "count count-tokens", count=True, diagnose=False)
        )
    return [
        *found,
        _probe(seed, "count-batch", (4, 4, 4, 12, 3), "count count-batch", count=True, diagnose=False),
    ]
