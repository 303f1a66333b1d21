"""Objective `join`."""

from __future__ import annotations

import torch

from .base import (
    SIZES,
    Proof,
    Weights,
    attend,
    attention,
    given,
    join,
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


def joined_shape(q):
    n = given(q)
    return shape_of(join(numbers(n["B"], n["h"], n["T"], n["d_v"])))


def wo_shape(q):
    """The shape of a matrix that leads from the joined heads to the residual stream."""
    n = given(q)
    heads, w_o = numbers(2, n["h"], 5, n["d_v"]), numbers(n["h"] * n["d_v"], n["d_model"])
    assert (join(heads) @ w_o).shape[-1] == n["d_model"]
    return shape_of(w_o)


def code(q):
    B, h, T, d_v = 2, 3, 5, 4
    heads = numbers(B, h, T, d_v)
    found = [value_of(text, heads=heads, B=B, h=h, T=T, d_v=d_v) for text in texts(q)]
    assert {tuple(joined.shape) for joined in found} == {(B, T, h * d_v)}  # as the explanation says
    return [same(joined, join(heads)) for joined in found]


def first_wrong_line(code):
    lines = code.split("\n")
    for count in range(1, len(lines) + 1):
        try:
            printed("\n".join(lines[:count]))
        except RuntimeError:
            return count
    return None


def view_or_reshape(q):
    line = first_wrong_line(q.code)
    assert line is not None
    return which(texts(q), lambda text: text == f"Line {line} raises an error.")


def position(q):
    n = given(q)
    heads = torch.zeros(1, n["h"], 1, n["d_v"])
    heads[0, n["i"], 0, n["j"]] = 1
    return int(join(heads).argmax())


def not_mixed_yet(_):
    """For each place of a row, in how many heads a change moves it."""
    heads = numbers(1, 3, 2, 4)
    moved = torch.zeros(12, dtype=torch.int64)
    for head in range(3):
        changed = heads.clone()
        changed[:, head] += 1
        moved += (join(changed) != join(heads)).all(1)[0]
    return bool((moved == 1).all())


def wo_as_a_sum(q):
    h, d_v, d_model = 3, 4, 7
    heads, w_o = numbers(2, h, 5, d_v), numbers(h * d_v, d_model)
    parts = [heads[:, i] @ block for i, block in enumerate(w_o.chunk(h))]
    meant = {
        "\\mathrm{Concat}(head_1 W": torch.cat(parts, -1),
        "\\sum_i head_i\\, W": sum(parts),
        "\\frac{1}{h}": sum(parts) / h,
        "\\left(\\sum_i head_i\\right)": heads.sum(1) @ sum(w_o.chunk(h)),
    }

    def fits(text: str) -> bool:
        (value,) = [value for words, value in meant.items() if text.strip("$").startswith(words)]
        return same(value, join(heads) @ w_o)

    return which(texts(q), fits)


def one_heads_block(_):
    """The rows of W_O whose change matters when all heads but one are zero."""
    heads = numbers(1, SIZES["h"], 5, SIZES["d_v"])
    heads[:, [0, 2]] = 0
    w_o = numbers(SIZES["h"] * SIZES["d_v"], SIZES["d_model"]).requires_grad_()
    (join(heads) @ w_o).square().sum().backward()
    rows = w_o.grad.abs().sum(1).nonzero().flatten()
    assert rows.tolist() == list(range(SIZES["d_v"], 2 * SIZES["d_v"]))
    return shape_of(w_o[rows], SIZES)


def why_nobody_complains(q):
    """With and without W_O: one shape, as joined heads are d_model wide already, and other numbers."""
    d_model, h = 12, 3
    weights, x = Weights.random(d_model, h), numbers(2, 5, d_model)
    joined = join(attend(*(split(x @ w, h) for w in (weights.q, weights.k, weights.v)))[0])
    assert not same(joined, joined @ weights.o)
    holds = joined.shape[-1] == d_model and joined.shape == (joined @ weights.o).shape
    return which(texts(q), lambda text: holds and "already $d_{model}$ wide" in text)


def permute_heads(_):
    d_model, h = 12, 3
    w, x = Weights.random(d_model, h), numbers(2, 5, d_model)
    order = torch.tensor([1, 0, 2])

    def columns(matrix):
        return matrix.view(d_model, h, -1)[:, order].reshape(matrix.shape)

    def rows(matrix):
        return matrix.view(h, -1, d_model)[order].reshape(matrix.shape)

    before = attention(w, h, x, x, x)
    inside = Weights(columns(w.q), columns(w.k), columns(w.v), w.o)
    assert not same(attention(inside, h, x, x, x), before)  # without W_O's rows it is another layer
    return same(attention(Weights(inside.q, inside.k, inside.v, rows(w.o)), h, x, x, x), before)


def shapes_in_order(q):
    """The shapes of a forward, in which no two symbols have one size, written down as they arise."""
    B, T, h, d_k, d_v, d_model = (SIZES[name] for name in ("B", "T", "h", "d_k", "d_v", "d_model"))
    w, x, seen = Weights.random(d_model, h, d_k, d_v), numbers(B, T, d_model), []

    def note(tensor):
        if tensor.shape not in seen:
            seen.append(tensor.shape)
        return tensor

    query = note(note(note(x @ w.q).view(B, T, h, d_k)).transpose(1, 2))
    weights = note(note(query @ split(x @ w.k, h).mT).softmax(-1))
    joined = note(note(note(weights @ split(x @ w.v, h)).transpose(1, 2)).reshape(B, T, h * d_v))
    assert (joined @ w.o).shape == x.shape
    sizes = {"B": B, "T": T, "h": h, "d_k": d_k, "d_v": d_v}
    names = {tuple(value_of(item.text.replace("·", "*"), **sizes)): item.text for item in q.items}
    return [names[tuple(shape)] for shape in seen]


def scramble_line(q):
    heads = numbers(2, 3, 5, 4)
    wrong = run(q.code)["concat"](heads)
    assert wrong.shape == join(heads).shape
    assert not same(wrong, join(heads))
    assert same(run(with_line(q.code, 3, "heads = heads.transpose(1, 2)"))["concat"](heads), join(heads))
    for hidden in (numbers(2, 1, 5, 4), numbers(2, 3, 1, 4)):
        assert same(run(q.code)["concat"](hidden), join(hidden))  # as the explanation says
    return [3]


def rank(q):
    n = given(q)
    w = Weights.random(n["d_model"], n["h"])
    product = w.v.chunk(n["h"], 1)[0] @ w.o.chunk(n["h"])[0]
    assert product.shape == (n["d_model"], n["d_model"])
    return int(torch.linalg.matrix_rank(product))


PROOFS: dict[str, Proof] = {
    "join-shape": joined_shape,
    "join-wo-shape": wo_shape,
    "join-code": code,
    "join-view-or-reshape": view_or_reshape,
    "join-position": position,
    "join-read-rows": lambda q: printed(q.code),
    "join-not-mixed-yet": not_mixed_yet,
    "join-wo-as-a-sum": wo_as_a_sum,
    "join-one-heads-block": one_heads_block,
    "join-why-nobody-complains": why_nobody_complains,
    "join-permute-heads": permute_heads,
    "join-shapes-in-order": shapes_in_order,
    "join-scramble-line": scramble_line,
    "join-rank": rank,
}
