"""What the probes of several steps share: names of weights and axes, sizes in words, layouts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from grader.lesson.probes import Draw, Op, Probe, call, gradient, learn, load, op

WEIGHTS = ("W_q", "W_k", "W_v", "W_o")
FUSED: Mapping[str, Sequence[str]] = {"W_qkv": ("W_q", "W_k", "W_v")}
RATE = 20.0  # makes a weight's change about a tenth of it
DTYPES = ("float64", "float32", "bfloat16", "float16")
ELSEWHERE = "on a second device (stands for a GPU)"


def told(sizes: Mapping[str, int], *words: str) -> str:
    """`causal mask, B=2, h=3, T=5, float64`: a case in words."""
    return ", ".join([*(word for word in words if word), *(f"{axis}={n}" for axis, n in sizes.items())])


def weights(draw: Draw, width: int) -> dict[str, object]:
    """Four square weights, of a size that keeps what they give near the size of the input."""
    return {name: draw.normal(width, width, scale=width**-0.5) for name in WEIGHTS}


LONG = 2049  # tokens: one more than the largest table of a fixed length that people make


def make(width: int, heads: int, *, to: str = "m", device: str = "cpu", poured: bool = True) -> list[Op]:
    """Construct the learner's class as `to`, in the probe's dtype and in eval mode, with the probe's weights."""
    made = [
        call("MultiHeadAttention", width, heads, to=to),
        op("place", of=to, device=device),
        op("mode", of=to, train=False),
    ]
    return [*made, load(to, {name: name for name in WEIGHTS}, FUSED)] if poured else made


def module_gradient(out: str, cotangent: str, wrt: Sequence[str]) -> Op:
    """Gradients for the inputs and for all four weights."""
    return gradient({out: cotangent}, wrt, "m", WEIGHTS, FUSED)


def structure(of: str = "m") -> Op:
    """How the class keeps its weights."""
    return op("structure", of=of, weights=list(WEIGHTS), fused={k: list(v) for k, v in FUSED.items()})


def saved(fresh: Sequence[Op]) -> list[Op]:
    """What the module saves, poured into a fresh one, whose own weights are drawn alike wherever that is."""
    return [
        op("save", of="m", to="state"),
        op("seed", seed=1),
        *fresh,
        op("restore", into="n", **{"from": "state"}),
    ]


def trained(again: Op) -> list[Op]:
    """A step of training from the answer `y`, then the answer once more: what is not trained does not change."""
    return [learn({"y": "c"}, "m", RATE), again]


STRUCTURE = ("is_module", "extra", "unregistered", "unsaved", "shared")
GRADIENTS = tuple(f"d_{name}" for name in WEIGHTS)

__all__ = ["Draw", "Probe"]
