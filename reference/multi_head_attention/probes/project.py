"""Probes of `project(x, w, num_heads) -> (B, h, T, d_k)`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from grader.lesson.probes import Array, Draw, Op, Probe, call, gradient

from .common import DTYPES, ELSEWHERE, LONG, told

AXES = {"y": ("B", "h", "T", "d_k"), "d_x": ("B", "T", "d_model"), "d_w": ("d_model", "h·d_k")}
MAIN = (2, 5, 10, 3, 4)  # B, T, d_model, h, d_k
OTHER = (3, 7, 9, 2, 5)
EQUAL = (4, 4, 16, 4, 4)


def _probe(seed: int, name: str, dims: tuple[int, int, int, int, int], tags: str, words: str = "",
           script: Sequence[Op] = (), report: Sequence[str] = ("y",), more: Mapping[str, Array] | None = None,
           **fields: object) -> Probe:  # fmt: skip
    b, t, d_model, h, d_k = dims
    draw = Draw(seed, "project", name)
    tensors = {"x": draw.normal(b, t, d_model), "w": draw.normal(d_model, h * d_k, scale=d_model**-0.5)}
    sizes = dict(zip(("B", "T", "d_model", "h", "d_k"), dims, strict=True))
    return Probe(
        id=f"project/{name}",
        step="project",
        tags=frozenset(tags.split()),
        say=told(sizes, words, str(fields.get("dtype", ""))),
        tensors={**tensors, **(more or {})},
        script=(call("project", "x", "w", h, to="y"), *script),
        report=tuple(report),
        axes=AXES,
        sizes=sizes,
        **fields,  # type: ignore[arg-type]
    )


def probes(seed: int) -> list[Probe]:
    """All probes of this step."""
    edges = {"one-head": (2, 5, 10, 1, 4), "width-one": (2, 5, 4, 6, 1), "one-sample": (1, 5, 10, 3, 4)}
    edges |= {"one-token": (2, 1, 10, 3, 4), "one-of-each": (1, 1, 10, 1, 4)}
    draw = Draw(seed, "project", "more")
    second = {"x2": draw.normal(3, 4, 10), "w2": draw.normal(10, 14, scale=0.3)}
    again = [call("project", "x2", "w2", 7, to="y2"), call("project", "x", "w", 3, to="y3")]
    cotangent = {"c": draw.normal(2, 3, 5, 4)}
    wrong = {"w": draw.normal(10, 14)}
    return [
        _probe(seed, "values", MAIN, "values untouched", again=True),
        _probe(seed, "values-other", OTHER, "values untouched"),
        _probe(seed, "values-square", (2, 5, 12, 3, 4), "values untouched", "w square"),
        _probe(seed, "strided", MAIN, "values untouched", "inputs not contiguous", strided=frozenset("xw")),
        _probe(seed, "twice", MAIN, "values", "called three times with two sizes", again, ("y2", "y3"), second),
        *(_probe(seed, name, dims, "edges untouched") for name, dims in edges.items()),
        _probe(seed, "long", (1, LONG, 2, 1, 2), "edges long", heavy=True),
        _probe(seed, "refuse", MAIN, "refuse", "h=3 does not divide 14 columns", (), (), wrong),
        _probe(seed, "refuse-more", (2, 5, 10, 4, 1), "refuse", "h=4 does not divide 10 columns", (), (),
               {"w": draw.normal(10, 10)}),
        _probe(seed, "grad", MAIN, "gradient", "gradient", [gradient({"y": "c"}, "xw")], ("d_x", "d_w"), cotangent,
               grads=frozenset("xw")),
        *(_probe(seed, dtype, MAIN, "dtype", dtype=dtype, of_dtype=True) for dtype in DTYPES),
        _probe(seed, "device", MAIN, "device", ELSEWHERE, device="portable", dtype="float32"),
        *(_probe(seed, f"count-{n}", (2, n, 10, 3, 4), "count count-tokens", count=True, diagnose=False) for n in (4, 8)),
        _probe(seed, "count-batch", (4, 4, 10, 3, 4), "count count-batch", count=True, diagnose=False),
        _probe(seed, "equal", EQUAL, "equal"),
    ]  # fmt: skip
