"""Probes of `concat(heads)` and of `output(concatenated, w_o)`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from grader.lesson.probes import Array, Draw, Op, Probe, call, gradient

from .common import DTYPES, ELSEWHERE, LONG, told

CONCAT_AXES = {"y": ("B", "T", "h·d_v"), "d_x": ("B", "h", "T", "d_v")}
OUTPUT_AXES = {"y": ("B", "T", "d_model"), "d_x": ("B", "T", "h·d_v"), "d_w": ("h·d_v", "d_model")}
HEADS = (2, 3, 5, 4)  # B, h, T, d_v
WIDTHS = (2, 5, 12, 10)  # B, T, h·d_v, d_model


def probes(seed: int) -> list[Probe]:
    """All probes of both steps."""
    return [*_concat(seed), *_output(seed)]


def _heads(seed: int, name: str, dims: tuple[int, int, int, int], tags: str, words: str = "",
           script: Sequence[Op] = (), report: Sequence[str] = ("y",), more: Mapping[str, Array] | None = None,
           **fields: object) -> Probe:  # fmt: skip
    sizes = dict(zip(("B", "h", "T", "d_v"), dims, strict=True))
    return Probe(
        id=f"concat/{name}",
        step="concat",
        tags=frozenset(tags.split()),
        say=told(sizes, words, str(fields.get("dtype", ""))),
        tensors={"x": Draw(seed, "concat", name).normal(*dims), **(more or {})},
        script=(call("concat", "x", to="y"), *script),
        report=tuple(report),
        axes=CONCAT_AXES,
        sizes=sizes,
        **fields,  # type: ignore[arg-type]
    )


def _concat(seed: int) -> list[Probe]:
    edges = {
        "one-head": (2, 1, 5, 4),
        "width-one": (2, 6, 5, 1),
        "one-sample": (1, 3, 5, 4),
        "one-token": (2, 3, 1, 4),
    }
    draw = Draw(seed, "concat", "more")
    again = [call("concat", "x2", to="y2"), call("concat", "x", to="y3")]
    return [
        _heads(seed, "values", HEADS, "values untouched", again=True),
        _heads(seed, "values-other", (3, 2, 7, 5), "values untouched"),
        _heads(seed, "strided", HEADS, "values untouched", "input not contiguous", strided=frozenset("x")),
        _heads(seed, "twice", HEADS, "values", "called three times with two sizes", again, ("y2", "y3"),
               {"x2": draw.normal(3, 7, 4, 2)}),
        *(_heads(seed, name, dims, "edges untouched") for name, dims in edges.items()),
        _heads(seed, "one-of-each", (1, 1, 1, 4), "edges untouched"),
        _heads(seed, "long", (1, 1, LONG, 2), "edges long", heavy=True),
        _heads(seed, "grad", HEADS, "gradient", "gradient", [gradient({"y": "c"}, "x")], ("d_x",),
               {"c": draw.normal(2, 5, 12)}, grads=frozenset("x")),
        *(_heads(seed, dtype, HEADS, "dtype", dtype=dtype, of_dtype=True) for dtype in DTYPES),
        _heads(seed, "device", HEADS, "device", ELSEWHERE, device="portable", dtype="float32"),
        *(_heads(seed, f"count-{n}", (2, 3, n, 4), "count count-tokens", count=True, diagnose=False) for n in (4, 8)),
        _heads(seed, "count-batch", (4, 3, 4, 4), "count count-batch", count=True, diagnose=False),
        _heads(seed, "equal", (4, 4, 4, 4), "equal"),
    ]  # fmt: skip


def _mixed(seed: int, name: str, dims: tuple[int, int, int, int], tags: str, words: str = "",
           script: Sequence[Op] = (), report: Sequence[str] = ("y",), more: Mapping[str, Array] | None = None,
           **fields: object) -> Probe:  # fmt: skip
    b, t, width, d_model = dims
    draw = Draw(seed, "output", name)
    sizes = dict(zip(("B", "T", "h·d_v", "d_model"), dims, strict=True))
    tensors: dict[str, Array] = {
        "x": draw.normal(b, t, width),
        "w": draw.normal(width, d_model, scale=width**-0.5),
    }
    return Probe(
        id=f"output/{name}",
        step="output",
        tags=frozenset(tags.split()),
        say=told(sizes, words, str(fields.get("dtype", ""))),
        tensors={**tensors, **(more or {})},
        script=(call("output", "x", "w", to="y"), *script),
        report=tuple(report),
        axes=OUTPUT_AXES,
        sizes=sizes,
        **fields,  # type: ignore[arg-type]
    )


def _output(seed: int) -> list[Probe]:
    draw = Draw(seed, "output", "more")
    again = [call("output", "x2", "w2", to="y2"), call("output", "x", "w", to="y3")]
    second = {"x2": draw.normal(3, 4, 6), "w2": draw.normal(6, 8)}
    return [
        _mixed(seed, "values", WIDTHS, "values untouched", again=True),
        _mixed(seed, "values-other", (3, 7, 8, 9), "values untouched"),
        _mixed(seed, "values-square", (2, 5, 12, 12), "values untouched", "w_o square"),
        _mixed(seed, "strided", WIDTHS, "values untouched", "inputs not contiguous", strided=frozenset("xw")),
        _mixed(seed, "twice", WIDTHS, "values", "called three times with two sizes", again, ("y2", "y3"), second),
        _mixed(seed, "one-of-each", (1, 1, 6, 4), "values untouched"),
        _mixed(seed, "long", (1, LONG, 2, 3), "values long", heavy=True),
        _mixed(seed, "refuse", WIDTHS, "refuse", "w_o has 14 rows", (), (), {"w": draw.normal(14, 10)},
               names=(12, 14)),
        _mixed(seed, "refuse-turned", WIDTHS, "refuse-turned", "w_o is (10, 12)", (), (), {"w": draw.normal(10, 12)},
               names=(12, 10)),
        _mixed(seed, "grad", WIDTHS, "gradient", "gradient", [gradient({"y": "c"}, "xw")], ("d_x", "d_w"),
               {"c": draw.normal(2, 5, 10)}, grads=frozenset("xw")),
        *(_mixed(seed, dtype, WIDTHS, "dtype", dtype=dtype, of_dtype=True) for dtype in DTYPES),
        _mixed(seed, "device", WIDTHS, "device", ELSEWHERE, device="portable", dtype="float32"),
        *(_mixed(seed, f"count-{n}", (2, n, 12, 10), "count count-tokens", count=True, diagnose=False) for n in (4, 8)),
        _mixed(seed, "count-batch", (4, 4, 12, 10), "count count-batch", count=True, diagnose=False),
        _mixed(seed, "equal", (4, 4, 16, 16), "equal"),
    ]  # fmt: skip
