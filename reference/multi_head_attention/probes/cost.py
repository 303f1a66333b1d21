"""Probes of `parameter_count(d_model, num_heads)` and `flop_count(batch, tokens, d_model, num_heads)`."""

from __future__ import annotations

from grader.lesson.probes import Draw, Probe, call

PARAMETERS = ((12, 3), (10, 5), (512, 8), (512, 1), (7, 7), (768, 12), (4096, 32))
FLOPS = (
    (2, 5, 12, 3),
    (1, 1, 8, 2),
    (3, 7, 10, 5),
    (2, 1024, 512, 8),
    (2, 1024, 512, 1),
    (1, 9, 7, 7),
    (4, 2048, 768, 12),
)


def probes(seed: int) -> list[Probe]:
    """All probes of this step; the last of each kind has sizes drawn from the seed."""
    draw = Draw(seed, "cost")
    h, d_k = draw.pick(2, 3, 5, 6), draw.pick(7, 9, 11, 16)
    parameters = [*PARAMETERS, (h * d_k, h)]
    flops = [*FLOPS, (draw.pick(2, 3, 5), draw.pick(11, 13, 17), h * d_k, h)]
    found = [
        _probe(f"parameters-{i}", "parameters", "parameter_count", *sizes)
        for i, sizes in enumerate(parameters)
    ]
    found += [_probe(f"flops-{i}", "flops", "flop_count", *sizes) for i, sizes in enumerate(flops)]
    found += [_probe("refuse-parameters", "refuse", "parameter_count", 10, 3)]
    return [*found, _probe("refuse-flops", "refuse", "flop_count", 2, 5, 10, 3)]


def _probe(name: str, tag: str, function: str, *sizes: int) -> Probe:
    return Probe(
        id=f"cost/{name}",
        step="cost",
        tags=frozenset({tag}),
        say=f"{function}{sizes}",
        tensors={},
        script=(call(function, *sizes, to="n"),),
        report=("n",),
        sizes=dict(zip(("B", "T", "d_model", "h")[-len(sizes) :], sizes, strict=True)),
    )
