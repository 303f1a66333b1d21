"""The lesson's own Knowledge Check."""

from __future__ import annotations

import torch
from torch import nn

from .base import Proof, Weights, attention, join, numbers, same, split, texts, value_of, which


def fluff(_):
    """Whether the layer does without W_O: then its gradient would be nothing, and its absence no change."""
    w, x = Weights.random(12, 3), numbers(2, 5, 12)
    bare = Weights(w.q, w.k, w.v, torch.eye(12, dtype=torch.float64))
    trained = Weights(w.q, w.k, w.v, w.o.clone().requires_grad_())
    attention(trained, 3, x, x, x).square().sum().backward()
    return same(attention(w, 3, x, x, x), attention(bare, 3, x, x, x)) or not trained.o.grad.any()


def usual_width(q):
    width = nn.MultiheadAttention(64, 8).head_dim
    return which(texts(q), lambda text: int(text) == width)


def both_wirings(_):
    """One module, wired both ways."""
    mha, x, memory = (
        nn.MultiheadAttention(12, 3, batch_first=True),
        torch.randn(2, 5, 12),
        torch.randn(2, 7, 12),
    )
    return mha(x, x, x)[0].shape == mha(x, memory, memory)[0].shape == x.shape


def joined_width(q):
    h, d_k = 3, 4
    width = join(split(numbers(2, 5, h * d_k), h)).shape[-1]
    words = {"$d_k$": "d_k", "$h \\cdot d_k$": "h * d_k", "$h$ only": "h"}
    return which(texts(q), lambda text: value_of(words[text], h=h, d_k=d_k) == width)


def must_divide(_):
    def made(d_model: int, h: int) -> bool:
        try:
            nn.MultiheadAttention(d_model, h)
        except AssertionError:
            return False
        return True

    return all(made(24, h) is (24 % h == 0) for h in range(1, 25))


def restores_width(q):
    """What each does to a width that is not d_model."""
    joined, d_model = torch.randn(2, 5, 15), 12
    layers = {"W_O": nn.Linear(15, d_model), "softmax": nn.Softmax(-1), "LayerNorm": nn.LayerNorm(15)}

    def restores(text: str) -> bool:
        (layer,) = [layer for name, layer in layers.items() if name in text]
        return layer(joined).shape[-1] == d_model

    return which(texts(q), restores)


PROOFS: dict[str, Proof] = {
    "kc-02": fluff,
    "kc-03": usual_width,
    "kc-05": both_wirings,
    "kc-06": joined_width,
    "kc-08": must_divide,
    "kc-09": restores_width,
}
