"""Probes of `plot_heads(weights, tokens, heads=(0, 1))`: which heat maps a figure shows, under which labels."""

from __future__ import annotations

import numpy as np

from grader.lesson.probes import Draw, Probe, op

TOKENS = ("the", "cat", "sat", "on", "my", "mat")
REPEATED = ("the", "cat", "saw", "the", "dog")


def probes(seed: int) -> list[Probe]:
    """All probes of this step; the first asks for the default heads."""
    return [
        _probe(seed, "default", 4, 5, None),
        _probe(seed, "three", 4, 5, (2, 0, 3)),
        _probe(seed, "keyword", 5, 3, (4, 1), keyword=True),
        _probe(seed, "one", 3, 6, (1,)),
        _probe(seed, "large", 12, 4, (11, 7)),
        _probe(seed, "attached", 4, 5, (3, 2), attached=True),
        _probe(seed, "repeated", 3, REPEATED, (2, 0)),
    ]


def _probe(seed: int, name: str, h: int, tokens: int | tuple[str, ...], heads: tuple[int, ...] | None, *,
           keyword: bool = False, attached: bool = False, again: bool = False) -> Probe:  # fmt: skip
    labels = list(TOKENS[:tokens] if isinstance(tokens, int) else tokens)
    raw = np.exp(Draw(seed, "heads", name).normal(h, len(labels), len(labels)))
    given = {} if heads is None else {"heads": {"tuple": list(heads)}}
    arguments: list[object] = [{"ref": "weights"}, labels]
    if given and not keyword:
        arguments.append(given["heads"])
    asked = (0, 1) if heads is None else heads
    return Probe(
        id=f"heads/{name}",
        step="heads",
        tags=frozenset({"figure"}),
        say=f"weights of {h} heads, tokens {' '.join(labels)!r}, heads={'not given' if heads is None else heads}",
        tensors={"weights": raw / raw.sum(-1, keepdims=True), "asked": np.array(asked, dtype=np.int64)},
        script=(
            op(
                "call",
                of={"name": "plot_heads"},
                args=arguments,
                kwargs=given if keyword else {},
                to="figure",
            ),
        ),
        report=("figure",),
        grads=frozenset({"weights"}) if attached else frozenset(),
        dtype="float32",
        again=again,
    )
