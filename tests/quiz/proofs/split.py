"""Objective `split`."""

from __future__ import annotations

from pathlib import Path

import torch
import yaml

from .base import (
    SIZES,
    Proof,
    given,
    numbers,
    printed,
    run,
    same,
    shape_of,
    split,
    texts,
    value_of,
    which,
    with_line,
)

LESSON = Path(__file__).resolve().parents[3] / "exercises" / "multi_head_attention" / "lesson.yaml"


def heads_shape(q):
    n = given(q)
    x, w = numbers(n["B"], n["T"], n["d_model"]), numbers(n["d_model"], n["d_model"])
    return shape_of(split(x @ w, n["h"]))


def block_shape(_):
    w_q = numbers(SIZES["d_model"], SIZES["h"] * SIZES["d_k"])
    block = w_q.chunk(SIZES["h"], dim=1)[1]
    x = numbers(2, 5, SIZES["d_model"])
    assert same(x @ block, split(x @ w_q, SIZES["h"])[:, 1])
    return shape_of(block, SIZES)


def owners(h, d_k):
    """For each column the head whose feature it makes: found by moving one column at a time."""
    x, w = numbers(1, 2, 3), numbers(3, h * d_k)
    before, found = split(x @ w, h), []
    for column in range(h * d_k):
        changed = w.clone()
        changed[:, column] += 1
        moved = (split(x @ changed, h) != before).any(dim=(0, 2)).nonzero()
        found.append([tuple(place) for place in moved.tolist()])
    assert all(len(places) == 1 for places in found)
    return [places[0][0] for places in found]


def first_column(q):
    n = given(q)
    return owners(n["h"], n["d_k"]).index(n["i"])


def whose_column(q):
    n = given(q)
    head = owners(n["h"], n["d_k"])[n["c"]]
    return which(texts(q), lambda text: text == f"head {head}")


def code(q):
    B, T, h, d_k = 2, 5, 3, 4
    y = numbers(B, T, h * d_k)
    found = [value_of(text, y=y, B=B, T=T, h=h, d_k=d_k) for text in texts(q)]
    assert {tuple(heads.shape) for heads in found} == {(B, h, T, d_k)}  # as the explanation says
    return [same(heads, split(y, h)) for heads in found]


def scrambled_is_right(B, T, h, d_k):
    y = numbers(B, T, h * d_k)
    return same(y.view(B, h, T, d_k), split(y, h))


def same_shape(_):
    y = numbers(2, 3, 2 * 5)
    one, other = y.view(2, 2, 3, 5), y.view(2, 3, 2, 5).transpose(1, 2)
    assert one.shape == other.shape
    return same(one, other)


def when_harmless(q):
    sizes = {
        "$h = 1$": (2, 5, 1, 4),
        "$B = 1$": (1, 5, 3, 4),
        "$T = 1$": (2, 1, 3, 4),
        "$T = h$": (2, 3, 3, 4),
    }
    return which(texts(q), lambda text: scrambled_is_right(*sizes[text]))


def not_a_divisor(q):
    d_model = given(q)["d_model"]

    def refused(text: str) -> bool:
        try:
            torch.nn.MultiheadAttention(d_model, int(text))
        except AssertionError:
            return True
        return False

    return which(texts(q), refused)


def columns_lost(q):
    n = given(q)
    names = run("d_k = d_model // h\nW_q = nn.Linear(d_model, h * d_k)", **n)
    return n["d_model"] - names["W_q"].out_features


def slices_first(_):
    """Whether every W_Q is a block-diagonal one: what slices compute is linear with that shape of weights."""
    h, d_k = 3, 4
    x, blocks = numbers(2, 5, h * d_k), [numbers(d_k, d_k, seed=n) for n in range(h)]
    sliced = torch.cat([part @ block for part, block in zip(x.chunk(h, -1), blocks, strict=True)], -1)
    assert same(sliced, x @ torch.block_diag(*blocks))
    assert sum(block.numel() for block in blocks) * h == (h * d_k) ** 2
    free = int((torch.block_diag(*(torch.ones(d_k, d_k) for _ in range(h))) > 0).sum())
    return free == (h * d_k) ** 2


def wrong_width_line(q):
    x, square, oblong = numbers(2, 5, 12), numbers(12, 12), numbers(12, 18)
    right = with_line(q.code, 3, "d_k = w.shape[1] // num_heads")
    assert same(run(q.code)["project"](x, square, 3), split(x @ square, 3))
    assert which([""], lambda _: same(run(q.code)["project"](x, oblong, 3), split(x @ oblong, 3))) == [False]
    for w in (square, oblong):
        assert same(run(right)["project"](x, w, 3), split(x @ w, 3))
    return [3]


def read_head(q):
    return printed(q.code)


def symbols(q):
    words = yaml.safe_load(LESSON.read_text(encoding="utf-8"))["symbols"]
    names = {left: left.strip("$").replace("{model}", "model") for left in q.lefts}
    return {left: words[name] for left, name in names.items()}


def two_moves(_):
    """The one way of viewing as (B, T, a, b), and of exchanging axis 1 with another, that gives the heads."""
    n = {"B": 2, "T": 5, "h": 3, "d_k": 4}
    y = numbers(n["B"], n["T"], n["h"] * n["d_k"])
    right = [
        (a, b, str(axis))
        for a in n
        for b in n
        for axis in range(4)
        if which(
            [""],
            lambda _, a=a, b=b, axis=axis: same(
                y.view(n["B"], n["T"], n[a], n[b]).transpose(1, axis), split(y, n["h"])
            ),
        )[0]
    ]
    assert len(right) == 1
    return list(right[0])


PROOFS: dict[str, Proof] = {
    "split-shape-heads": heads_shape,
    "split-block-shape": block_shape,
    "split-first-column": first_column,
    "split-whose-column": whose_column,
    "split-code": code,
    "split-same-shape": same_shape,
    "split-when-harmless": when_harmless,
    "split-not-a-divisor": not_a_divisor,
    "split-columns-lost": columns_lost,
    "split-slices-first": slices_first,
    "split-wrong-width-line": wrong_width_line,
    "split-read-head": read_head,
    "split-symbols": symbols,
    "split-two-moves": two_moves,
}
