"""Objective `attend`."""

from __future__ import annotations

import math
from itertools import product

import torch
from torch import nn

from .base import (
    SIZES,
    Proof,
    attend,
    given,
    numbers,
    printed,
    run,
    same,
    shape_of,
    texts,
    value_of,
    which,
    with_line,
)


def tensors(B=2, h=3, Tq=5, Tk=7, d_k=4, d_v=6):
    return numbers(B, h, Tq, d_k, seed=1), numbers(B, h, Tk, d_k, seed=2), numbers(B, h, Tk, d_v, seed=3)


def sums_to_one(weights, dim):
    return same(weights.sum(dim), torch.ones_like(weights.sum(dim)))


def scores_shape(q):
    n = given(q)
    query, key, _ = tensors(n["B"], n["h"], n["Tq"], n["Tk"], n["d_k"])
    return shape_of(query @ key.transpose(-2, -1))


def head_shape(_):
    query, key, value = tensors(*(SIZES[name] for name in ("B", "h", "Tq", "Tk", "d_k", "d_v")))
    return shape_of(nn.functional.scaled_dot_product_attention(query, key, value), SIZES)


def which_scale(q):
    """The divisor with which the formula by hand is PyTorch's own."""
    n = given(q)
    width = n["d_model"] // n["h"]
    query, key, value = numbers(1, 1, 3, width), numbers(1, 1, 4, width, seed=1), numbers(1, 1, 4, 2, seed=2)
    library = nn.functional.scaled_dot_product_attention(query, key, value)

    def agrees(text: str) -> bool:
        number = int("".join(filter(str.isdigit, text)))
        divisor = math.sqrt(number) if "sqrt" in text else number
        return same((query @ key.mT / divisor).softmax(-1) @ value, library)

    return which(texts(q), agrees)


def score_spread(q):
    """Exact: entries of ±1 have mean 0 and variance 1, and the sum's law is binomial."""
    d_k = given(q)["d_k"]
    law = [(2 * ups - d_k, math.comb(d_k, ups) / 2**d_k) for ups in range(d_k + 1)]
    variance = sum(chance * total**2 for total, chance in law)
    sample = (numbers(5_000, d_k, seed=1) * numbers(5_000, d_k, seed=2)).sum(-1).std().item()
    assert math.isclose(sample, math.sqrt(variance), rel_tol=0.05)
    return math.sqrt(variance)


def scale_after_softmax(q):
    d_k = given(q)["d_k"]
    query, key, _ = tensors(d_k=d_k)
    sums = ((query @ key.mT).softmax(-1) / math.sqrt(d_k)).sum(-1)
    assert same(sums, sums.mean().expand_as(sums))
    return sums.mean().item()


def softmax_axis(q):
    scores = numbers(2, 3, 5, 7)
    found = [value_of(text, scores=scores) for text in texts(q)]
    assert {tuple(weights.shape) for weights in found} == {(2, 3, 5, 7)}
    return [sums_to_one(weights, -1) for weights in found]


def columns_sum_to_one(q):
    """Each mistake made; the one after which all columns and not all rows sum to 1."""
    query, key, _ = tensors(Tq=5, Tk=5)
    scores = query @ key.mT
    made = {
        "not divided": scores.softmax(-1),
        "over the queries": (scores / 2).softmax(-2),
        "after the softmax": scores.softmax(-1) / 2,
        "changed places": (scores.mT / 2).softmax(-1),
    }

    def fits(text: str) -> bool:
        (weights,) = [weights for words, weights in made.items() if words in text]
        return sums_to_one(weights, -2) and not sums_to_one(weights, -1)

    return which(texts(q), fits)


def masked_with_zero(q):
    n = given(q)
    scores, hidden = torch.zeros(n["n"], dtype=torch.float64), torch.arange(n["n"]) < n["m"]
    return scores.masked_fill(hidden, 0.0).softmax(-1)[hidden].sum().item()


def polarity(q):
    """By the lesson's convention, for which PyTorch's function of that convention vouches."""
    mask = torch.tensor([True, False, True])
    query, key, value = torch.zeros(1, 1, 4), torch.zeros(1, 3, 4), torch.eye(3).unsqueeze(0)
    weights = nn.functional.scaled_dot_product_attention(query, key, value, attn_mask=mask).flatten()
    return which(texts(q), lambda text: torch.allclose(weights, torch.tensor(value_of(text))))


def nothing_visible(q):
    shown = printed(q.code)
    return which(texts(q), lambda text: text == shown)


def finite_fill(_):
    weights = torch.zeros(3).masked_fill(torch.ones(3, dtype=torch.bool), -1e9).softmax(-1)
    assert not torch.isnan(weights).any()
    return bool((weights == 0).all())


def visible(T):
    """Key s is seen by query t when s is not later."""
    return torch.tensor([[s <= t for s in range(T)] for t in range(T)])


def causal_count(q):
    return int(visible(given(q)["T"]).sum())


def causal_code(q):
    T = 6
    ones = torch.ones(T, T, dtype=torch.bool)
    return which(texts(q), lambda text: torch.equal(value_of(text, ones=ones), visible(T)))


def right_attention(function, shape):
    query, key, value = (numbers(*shape, seed=n) for n in range(3))
    return same(function(query, key, value)[0], nn.functional.scaled_dot_product_attention(query, key, value))


def wrong_transpose_line(q):
    fixed = with_line(q.code, 3, "scores = scale * (q @ k.transpose(-2, -1))")
    assert right_attention(run(fixed)["attend"], (2, 3, 5, 4))
    assert which([q.code], lambda code: right_attention(run(code)["attend"], (2, 3, 5, 4))) == [False]
    return [3]


def subtract_maximum(_):
    scores = numbers(4, 7)
    plain = scores.exp() / scores.exp().sum(-1, keepdim=True)
    lowered = (scores - scores.max(-1, keepdim=True).values).exp()
    assert torch.tensor(88.0).exp().isfinite()
    assert torch.tensor(89.0).exp().isinf()
    return not same(lowered / lowered.sum(-1, keepdim=True), plain)


def padding_broadcast(q):
    """Sample by sample with its padding cut off; Tq = Tk = B, so that all forms broadcast somewhere."""
    B, h, T = 4, 3, 4
    lengths = [4, 2, 3, 1]
    keep = torch.tensor([[t < length for t in range(T)] for length in lengths])
    query, key, value = tensors(B, h, T, T)
    cut = [attend(query[b], key[b, :, :n], value[b, :, :n])[0] for b, n in enumerate(lengths)]
    return which(
        texts(q), lambda text: same(attend(query, key, value, value_of(text, keep=keep))[0], torch.stack(cut))
    )


def formula(_):
    """Of all ways to fill the three blanks the one that PyTorch's function computes."""
    Q, K, V = (numbers(5, 5, seed=n) for n in range(3))
    left = {"K^T": K.T, "K": K, "Q^T": Q.T, "V^T": V.T}
    under, last = {"d_k": 5, "d_model": 15, "T": 7}, {"K": K, "V": V, "Q": Q}
    right = [
        names
        for names in product(left, under, last)
        if same(
            (Q @ left[names[0]] / math.sqrt(under[names[1]])).softmax(-1) @ last[names[2]],
            nn.functional.scaled_dot_product_attention(Q[None], K[None], V[None])[0],
        )
    ]
    assert len(right) == 1
    return list(right[0])


def symptoms(q):
    """Every mistake made, and every symptom looked for in its weights."""
    query, key, _ = tensors(Tq=5, Tk=5, d_k=400)
    scores, hide = query @ key.mT, torch.arange(5) >= 3
    scaled = scores / math.sqrt(400)
    made = {
        "query axis": scaled.softmax(-2),
        "0/1 mask": scaled.softmax(-1) * ~hide,
        "infty": scaled.masked_fill(torch.arange(5)[:, None] == 2, -math.inf).softmax(-1),
        "no division": scores.softmax(-1),
    }
    fits = {
        "columns sum to 1, rows do not": lambda w: sums_to_one(w, -2) and not sums_to_one(w, -1),
        "rows sum to less than 1": lambda w: bool((w.sum(-1) < 1 - 1e-6).all()),
        "NaN in that row": lambda w: bool(w[..., 2, :].isnan().all()) and not w[..., 0, :].isnan().any(),
        "rows sum to 1, with nearly all of it on one key": lambda w: (
            sums_to_one(w, -1) and w.max(-1).values.median() > 0.95
        ),
        "rows sum to more than 1": lambda w: bool((w.sum(-1) > 1 + 1e-6).all()),
        "some weights are negative": lambda w: bool((w < 0).any()),
    }
    assert scaled.softmax(-1).max(-1).values.median() < 0.9  # with the scale they are not so peaked
    found = {}
    for left in q.lefts:
        (weights,) = [weights for words, weights in made.items() if words in left]
        (found[left],) = [text for text, fit in fits.items() if fit(weights)]
    return found


def order_of_keys(_):
    query, key, value = tensors()
    order = torch.tensor([3, 0, 6, 1, 5, 2, 4])
    return same(attend(query, key[:, :, order], value[:, :, order])[0], attend(query, key, value)[0])


PROOFS: dict[str, Proof] = {
    "attend-scores-shape": scores_shape,
    "attend-head-shape": head_shape,
    "attend-which-scale": which_scale,
    "attend-score-spread": score_spread,
    "attend-scale-after-softmax": scale_after_softmax,
    "attend-softmax-axis": softmax_axis,
    "attend-columns-sum-to-one": columns_sum_to_one,
    "attend-masked-with-zero": masked_with_zero,
    "attend-polarity": polarity,
    "attend-nothing-visible": nothing_visible,
    "attend-finite-fill": finite_fill,
    "attend-causal-count": causal_count,
    "attend-causal-code": causal_code,
    "attend-wrong-transpose-line": wrong_transpose_line,
    "attend-subtract-maximum": subtract_maximum,
    "attend-padding-broadcast": padding_broadcast,
    "attend-formula": formula,
    "attend-symptoms": symptoms,
    "attend-order-of-keys": order_of_keys,
}
