"""Probes of `attend(q, k, v, mask=None) -> (heads, weights)`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from grader.lesson.probes import Array, Draw, Op, Probe, call, gradient

from .common import DTYPES, ELSEWHERE, LONG, told

AXES = {
    "heads": ("B", "h", "Tq", "d_v"),
    "weights": ("B", "h", "Tq", "Tk"),
    "d_q": ("B", "h", "Tq", "d_k"),
    "d_k": ("B", "h", "Tk", "d_k"),
    "d_v": ("B", "h", "Tk", "d_v"),
}
OUT = ("heads", "weights")
CROSS = (2, 3, 5, 7, 4, 6)  # B, h, Tq, Tk, d_k, d_v
OTHER = (3, 2, 7, 4, 5, 6)
SELF = (2, 3, 5, 5, 4, 6)
EQUAL = (4, 4, 4, 4, 4, 4)
WEAK = "the scores are near -3e5, where float32 itself rounds by 0.03"


def probes(seed: int) -> list[Probe]:
    """All probes of this step."""
    return [
        *_plain(seed),
        *_masked(seed),
        *_empty_rows(seed),
        *_large(seed),
        *_gradients(seed),
        *_kinds(seed),
    ]


def _probe(
    seed: int,
    name: str,
    dims: tuple[int, int, int, int, int, int],
    tags: str,
    words: str = "",
    mask: Array | None = None,
    *,
    keyword: bool = False,
    script: Sequence[Op] | None = None,
    report: Sequence[str] = OUT,
    **fields: object,
) -> Probe:
    sizes = dict(zip(("B", "h", "Tq", "Tk", "d_k", "d_v"), dims, strict=True))
    tensors = tensors_of(seed, name, dims)
    call_it = call("attend", "q", "k", "v", to=OUT)
    if mask is not None:
        tensors["mask"] = np.array(mask)
        call_it = call("attend", "q", "k", "v", *([] if keyword else ["mask"]), to=OUT, **_keyword(keyword))
    return Probe(
        id=f"attend/{name}",
        step="attend",
        tags=frozenset(tags.split()),
        say=told(sizes, words or "no mask", str(fields.get("dtype", ""))),
        tensors=tensors | dict(fields.pop("more", {})),  # type: ignore[call-overload]
        script=(call_it, *(script or ())),
        report=tuple(report),
        axes=AXES,
        sizes=sizes,
        **fields,  # type: ignore[arg-type]
    )


def _keyword(keyword: bool) -> dict[str, str]:
    return {"mask": "mask"} if keyword else {}


def tensors_of(seed: int, name: str, dims: tuple[int, int, int, int, int, int]) -> dict[str, Array]:
    """q, k and v, three different tensors."""
    b, h, tq, tk, dk, dv = dims
    draw = Draw(seed, "attend", name)
    return {"q": draw.normal(b, h, tq, dk), "k": draw.normal(b, h, tk, dk), "v": draw.normal(b, h, tk, dv)}


def padding(lengths: Sequence[int], keys: int) -> Array:
    """(B, 1, 1, Tk): each sample its own number of keys."""
    return np.arange(keys)[None, None, None, :] < np.array(lengths)[:, None, None, None]


def causal(tokens: int) -> Array:
    """(T, T): a token sees itself and what came before."""
    return np.tril(np.ones((tokens, tokens), dtype=np.bool_))


def _plain(seed: int) -> list[Probe]:
    sizes = {
        "one-token": (2, 3, 1, 1, 4, 6),
        "one-query": (2, 3, 1, 7, 4, 6),
        "one-sample": (1, 3, 5, 7, 4, 6),
    }
    sizes |= {"one-head": (2, 1, 5, 7, 4, 6), "width-one": (2, 7, 5, 3, 1, 4)}
    first = tensors_of(seed, "one-query", OTHER)
    between = {f"{key}2": value for key, value in first.items()}
    calls = [
        call("attend", "q2", "k2", "v2", to=("h2", "w2")),
        call("attend", "q", "k", "v", to=("h3", "w3")),
    ]
    return [
        _probe(seed, "plain", CROSS, "plain untouched", again=True),
        _probe(seed, "plain-other", OTHER, "plain untouched"),
        _probe(seed, "plain-self", SELF, "plain untouched"),
        *(_probe(seed, f"plain-{name}", dims, "plain untouched") for name, dims in sizes.items()),
        _probe(seed, "plain-long", (1, 1, 3, LONG, 2, 4), "plain long", heavy=True),
        _probe(seed, "strided", CROSS, "plain untouched", "inputs not contiguous", strided=frozenset("qkv")),
        _probe(
            seed,
            "twice",
            CROSS,
            "plain twice",
            "called three times with two sizes",
            script=calls,
            more=between,
            report=("h2", "w2", "h3", "w3"),
        ),
        _probe(seed, "equal", EQUAL, "equal"),
    ]


def _masked(seed: int) -> list[Probe]:
    b, h, tq, tk = CROSS[:4]
    draw = Draw(seed, "attend", "masks")
    pad = padding((7, 4), tk)
    shapes = {
        "1d": (tk,),
        "2d": (tq, tk),
        "3d": (h, tq, tk),
        "heads": (1, h, 1, tk),
        "samples": (b, 1, tq, tk),
    }
    return [
        _probe(seed, "mask-padding", CROSS, "mask untouched", "padding mask (B, 1, 1, Tk)", pad, again=True),
        _probe(seed, "mask-causal", SELF, "mask untouched", "causal mask (T, T)", causal(5)),
        _probe(seed, "mask-full", CROSS, "mask untouched", "mask (B, h, Tq, Tk)", draw.keep(b, h, tq, tk)),
        *(
            _probe(seed, f"mask-{name}", CROSS, "mask untouched", f"mask of shape {shape}", draw.keep(*shape))
            for name, shape in shapes.items()
        ),
        _probe(
            seed, "mask-keyword", OTHER, "mask", "mask given by keyword", draw.keep(3, 1, 7, 4), keyword=True
        ),
        _probe(seed, "mask-all-true", CROSS, "mask", "mask all True", np.ones((tq, tk), dtype=np.bool_)),
        _probe(
            seed,
            "mask-one-key",
            CROSS,
            "mask",
            "one key visible to each query",
            np.eye(tq, tk, dtype=np.bool_),
        ),
        _probe(seed, "mask-equal", EQUAL, "equal", "mask (B, 1, Tq, Tk)", draw.keep(4, 1, 4, 4)),
        _probe(seed, "mask-equal-full", EQUAL, "equal", "mask (B, h, Tq, Tk)", draw.keep(4, 4, 4, 4)),
        _probe(seed, "mask-equal-causal", EQUAL, "equal", "causal mask", causal(4)),
        _probe(seed, "mask-equal-padding", EQUAL, "equal", "padding mask", padding((4, 3, 2, 1), 4)),
    ]


def _empty_rows(seed: int) -> list[Probe]:
    b, h, tq, tk = CROSS[:4]
    some = Draw(seed, "attend", "empty").keep(b, h, tq, tk)
    some[0, 1, 2] = some[1, 0, 0] = False
    sample = padding((7, 0), tk)
    rows = np.array([True, False, True, True, False]).reshape(tq, 1)
    none = np.zeros((1, 1), dtype=np.bool_)
    cases = {
        "some": ("two rows with nothing to attend to", some),
        "sample": ("one sample with no keys", sample),
    }
    cases |= {"rows": ("mask (Tq, 1)", rows), "none": ("nothing may be attended to", none)}
    both = {"c": np.ones((b, h, tq, CROSS[5])), "cw": np.ones((b, h, tq, tk))}
    backward = [gradient({"heads": "c", "weights": "cw"}, "qkv")]
    return [
        *(_probe(seed, f"empty-{name}", CROSS, "empty", words, mask) for name, (words, mask) in cases.items()),
        *(
            _probe(seed, f"empty-grad-{name}", CROSS, "empty-gradient", f"gradient, {cases[name][0]}", cases[name][1],
                   script=backward, report=("d_q", "d_k", "d_v"), more=both, grads=frozenset("qkv"))
            for name in ("some", "sample", "none")
        ),
        *(
            _probe(seed, f"empty-{dtype}", CROSS, "dtype", cases["some"][0], some, dtype=dtype)
            for dtype in ("float32", "float16")
        ),
    ]  # fmt: skip


def _large(seed: int) -> list[Probe]:
    large = tensors_of(seed, "large", CROSS)
    large = {"q": large["q"] * 256, "k": large["k"] * 4, "v": large["v"]}
    offset = tensors_of(seed, "offset", CROSS)
    offset = {"q": 256 + offset["q"] / 4, "k": -1200 + offset["k"] / 64, "v": offset["v"]}
    pad = padding((5, 3), CROSS[3])
    why = "scores near 2000, where float32 itself rounds by 1e-4"
    return [
        _probe(seed, "large", CROSS, "large", "scores in the thousands", more=large, tolerance=3e-3, why=why),
        _probe(seed, "large-float32", CROSS, "dtype", "scores in the thousands", more=large, dtype="float32",
               tolerance=1e-2, why=why),
        _probe(seed, "offset", CROSS, "large", "all scores near -300000, padding mask", pad, more=offset,
               tolerance=0.2, why=WEAK),
        _probe(seed, "offset-causal", SELF, "large", "all scores near -300000, causal mask", causal(5),
               more={**offset, **{key: offset[key][:, :, :5] for key in "kv"}}, tolerance=0.2, why=WEAK),
    ]  # fmt: skip


def _gradients(seed: int) -> list[Probe]:
    found = []
    masks = {"": None, "-padding": padding((7, 4), 7), "-full": Draw(seed, "attend", "gm").keep(2, 3, 5, 7)}
    for name, mask in masks.items():
        draw = Draw(seed, "attend", "cotangent", name)
        more = {"c": draw.normal(2, 3, 5, 6), "cw": draw.normal(2, 3, 5, 7)}
        for of in ({"heads": "c"}, {"heads": "c", "weights": "cw"}):
            both = "-weights" if len(of) > 1 else ""
            found.append(
                _probe(seed, f"grad{name}{both}", CROSS, "gradient", "gradient", mask, more=more,
                       script=[gradient(of, "qkv")], report=("d_q", "d_k", "d_v"), grads=frozenset("qkv"))
            )  # fmt: skip
    return found


def _kinds(seed: int) -> list[Probe]:
    pad, scores = padding((7, 4), 7), causal(5)
    found = [_probe(seed, f"{dtype}", CROSS, "dtype", dtype=dtype, of_dtype=True) for dtype in DTYPES]
    found += [
        _probe(seed, f"{dtype}-mask", CROSS, "dtype", "padding mask", pad, dtype=dtype, of_dtype=True)
        for dtype in DTYPES
    ]
    found += [
        _probe(seed, "float16-causal", SELF, "dtype", "causal mask", scores, dtype="float16", of_dtype=True)
    ]
    found += [_probe(seed, "device", CROSS, "device", ELSEWHERE, device="portable", dtype="float32")]
    found += [
        _probe(
            seed,
            "device-mask",
            CROSS,
            "device",
            f"padding mask, {ELSEWHERE}",
            pad,
            device="portable",
            dtype="float32",
        )
    ]
    for tokens in (4, 8):
        dims = (2, 3, tokens, tokens, 4, 6)
        found.append(_probe(seed, f"count-{tokens}", dims, "count count-tokens", count=True, diagnose=False))
    found.append(
        _probe(seed, "count-batch", (4, 3, 4, 4, 4, 6), "count count-batch", count=True, diagnose=False)
    )
    return found
