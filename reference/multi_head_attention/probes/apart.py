"""Probes of several calls that differ in one thing: what an answer notices, and what it should not.

No check asks for them and no mistake is named by them; they are what is said of a wrong answer without a name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import count, permutations

import numpy as np

from grader.lesson.probes import Array, Draw, Op, Probe, call, call_value, load

from .attend import AXES as ATTEND_AXES
from .attend import causal
from .common import FUSED, WEIGHTS, make, told

INPUTS = ("B", "T", "d_model")
MATRIX = ("in", "out")
MASK = "causal_mask"
B, H, T, D_K, D_V, WIDTH = 2, 3, 5, 4, 6, 12
# What becomes of the scores that are scaled wrongly: by nothing, twice, by √d_model, by √h, by d_k/2, up.
FACTORS = (2.0, 4.0, 0.5, (D_K / WIDTH) ** 0.5, (D_K / H) ** 0.5, (D_K / T) ** 0.5)


def probes(seed: int) -> list[Probe]:
    """One for each step that computes attention."""
    return [_attend(seed), _module(seed), _cross(seed), _library(seed)]


def _probe(step: str, sizes: Mapping[str, int], tensors: Mapping[str, Array], script: Sequence[Op],
           axes: Mapping[str, tuple[str, ...]], **fields: object) -> Probe:  # fmt: skip
    results = [name for one in script if one["op"] == "call" for name in _results(one["to"])]
    named = {name: axes[base] for name in results if (base := name.rstrip("0123456789")) in axes}
    return Probe(
        id=f"{step}/apart",
        step=step,
        tags=frozenset({"apart"}),
        say=told(sizes, "calls that differ in one thing"),
        tensors=tensors,
        script=tuple(script),
        report=tuple(named),
        axes={**axes, **named},
        sizes=sizes,
        diagnose=False,
        **fields,  # type: ignore[arg-type]
    )


def _results(to: object) -> list[str]:
    return [str(name) for name in to] if isinstance(to, list) else [str(to)]


def _numbered(*names: str) -> Iterator[tuple[str, ...]]:
    """`y`, `y2`, `y3`: the names of one call's results after the other."""
    yield names
    yield from (tuple(f"{name}{number}" for name in names) for number in count(2))


def _at(array: Array, other: Array, *where: int | slice) -> Array:
    """The first array with the other's values in some places."""
    mixed = np.array(array)
    mixed[where] = other[where]
    return mixed


def _attend(seed: int) -> Probe:
    draw = Draw(seed, "apart", "attend")
    wide = {"q": D_K, "k": D_K, "v": D_V}
    own = {name: draw.normal(B, H, T, width) for name, width in wide.items()}
    other = {name: draw.normal(B, H, T, width) for name, width in wide.items()}
    every = slice(None)
    tensors: dict[str, Array] = {**own, MASK: causal(T)}
    for name in wide:
        tensors[f"{name}_sample"] = _at(own[name], other[name], 1)
        tensors[f"{name}_head"] = _at(own[name], other[name], every, 1)
        tensors[f"{name}_last"] = _at(own[name], other[name], every, every, T - 1)
        tensors[f"{name}_turned"] = own[name][:, :, ::-1].copy()
        tensors[f"{name}_doubled"] = own[name] * 2
    given = [
        ("q", "k", "v"),
        ("q", "k", "v"),
        ("q_sample", "k_sample", "v_sample"),
        ("q_head", "k_head", "v_head"),
        ("q", "k_last", "v_last"),
        ("q", "k_turned", "v_turned"),
        ("q", "k", "v_doubled"),
        ("k", "q", "v"),
        ("q", "k", "v", MASK),
        ("q", "k_last", "v_last", MASK),
        ("q", "k", "v"),
    ]
    calls = zip(given, _numbered("heads", "weights"), strict=False)
    script = [call("attend", *names, to=results) for names, results in calls]
    sizes = {"B": B, "h": H, "Tq": T, "Tk": T, "d_k": D_K, "d_v": D_V}
    return _probe("attend", sizes, tensors, script, ATTEND_AXES)


def _weights(draw: Draw) -> tuple[dict[str, Array], list[dict[str, str]]]:
    """Weights, and what to load in their place: others, turned ones, exchanged ones, W_q of other sizes."""
    own: dict[str, Array] = {name: draw.normal(WIDTH, WIDTH, scale=WIDTH**-0.5) for name in WEIGHTS}
    other: dict[str, Array] = {name: draw.normal(WIDTH, WIDTH, scale=WIDTH**-0.5) for name in WEIGHTS}
    plain = {name: name for name in WEIGHTS}
    tensors, loads = dict(own), []
    for name in WEIGHTS:
        tensors |= {f"{name}_other": other[name], f"{name}_turned": own[name].T.copy()}
        loads += [{**plain, name: f"{name}_other"}, {**plain, name: f"{name}_turned"}]
    loads.append({name: f"{name}_turned" for name in WEIGHTS})
    for head in range(H):
        rows = slice(head * WIDTH // H, (head + 1) * WIDTH // H)
        tensors[f"W_o_{head}"] = _at(own["W_o"], other["W_o"], rows)
        loads.append({**plain, "W_o": f"W_o_{head}"})
    for number, factor in enumerate(FACTORS):
        tensors[f"W_q_{number}"] = np.asarray(own["W_q"], np.float64) * factor
        loads.append({**plain, "W_q": f"W_q_{number}"})
    three = WEIGHTS[:3]
    loads += [{**plain, **dict(zip(three, turn, strict=True))} for turn in list(permutations(three))[1:]]
    return tensors, loads


def _calls(first: Op, given: Sequence[Sequence[str]], loads: Sequence[Mapping[str, str]]) -> list[Op]:
    """The module called with other inputs, then with other weights, at last as at first."""
    names = (name for (name,) in _numbered("y"))
    script = [first, *(call_value("m", *inputs, to=next(names)) for inputs in given)]
    for poured in [*loads, {name: name for name in WEIGHTS}]:
        script += [load("m", poured, FUSED), call_value("m", *given[0], to=next(names))]
    return script


def _module(seed: int) -> Probe:
    draw = Draw(seed, "apart", "module")
    own, other = draw.normal(B, T, WIDTH), draw.normal(B, T, WIDTH)
    tensors, loads = _weights(draw)
    tensors |= {"x": own, "x_sample": _at(own, other, 1), "x_last": _at(own, other, slice(None), T - 1)}
    *made, poured = make(WIDTH, H)
    given = [("x",), ("x",), ("x_sample",), ("x_last",)]
    script = [*made, *_calls(poured, given, loads)]
    sizes = {"B": B, "T": T, "d_model": WIDTH, "h": H}
    axes = {"y": INPUTS, "d_x": INPUTS, **{f"d_{name}": MATRIX for name in WEIGHTS}}
    return _probe("module", sizes, tensors, script, axes)


def _cross(seed: int) -> Probe:
    draw = Draw(seed, "apart", "cross")
    three = ("query", "key", "value")
    tensors, loads = _weights(draw)
    tensors[MASK] = causal(T)
    for name in three:
        own, other = draw.normal(B, T, WIDTH), draw.normal(B, T, WIDTH)
        tensors |= {name: own, f"{name}_other": other, f"{name}_sample": _at(own, other, 1)}
        tensors |= {
            f"{name}_last": _at(own, other, slice(None), T - 1),
            f"{name}_turned": own[:, ::-1].copy(),
        }
    given = [
        three,
        three,
        tuple(f"{name}_sample" for name in three),
        ("query_other", "key", "value"),
        ("query", "key_other", "value"),
        ("query", "key", "value_other"),
        ("query", "key_turned", "value_turned"),
        ("query", "value", "key"),
        ("key", "query", "value"),
        (*three, MASK),
        ("query", "key_last", "value_last", MASK),
    ]
    *made, poured = make(WIDTH, H)
    wired = [
        call("cross_attention", "m", "query", "key", to="y101"),
        call("cross_attention", "m", "query", "key_other", to="y102"),
        call("cross_attention", "m", "query_other", "key", to="y103"),
        call("cross_attention", "m", "key", "query", to="y104"),
    ]
    script = [*made, *_calls(poured, given, loads), *wired]
    sizes = {"B": B, "Tq": T, "Tk": T, "d_model": WIDTH, "h": H}
    keys = ("B", "Tk", "d_model")
    axes = {"y": ("B", "Tq", "d_model"), "d_query": ("B", "Tq", "d_model"), "d_key": keys, "d_value": keys}
    return _probe("cross", sizes, tensors, script, {**axes, **{f"d_{name}": MATRIX for name in WEIGHTS}})


def _library(seed: int) -> Probe:
    draw = Draw(seed, "apart", "library")
    tensors, loads = _weights(draw)
    tensors["x"] = draw.normal(B, T, WIDTH)
    script: list[Op] = []
    made = [{name: name for name in WEIGHTS}, *loads]
    for number, poured in enumerate(made):
        script += [call("to_library", *(poured[name] for name in WEIGHTS), H, to=f"m{number}")]
        script += [call_value(f"m{number}", "x", "x", "x", to=(f"y{number or ''}", f"w{number}"))]
    script += [call_value("m0", "x", "x", "x", to=("y99", "w99"))]
    sizes = {"B": B, "T": T, "d_model": WIDTH, "h": H}
    axes = {"y": INPUTS, **{f"d_{name}": MATRIX for name in WEIGHTS}}
    return _probe("library", sizes, tensors, script, axes, dtype="float32")
