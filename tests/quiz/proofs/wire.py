"""Objective `wire`."""

from __future__ import annotations

import inspect
import math

import torch
from torch import nn

from .base import (
    SIZES,
    Proof,
    ShapeKey,
    Weights,
    attend,
    attention,
    given,
    join,
    numbers,
    run,
    same,
    shape_of,
    split,
    texts,
    value_of,
    which,
    with_line,
)

D_MODEL, H = 12, 3
B, TQ, TK = 2, 5, 7


def library(w, h=H, **options):
    """PyTorch's module with these weights, without bias."""
    mha = nn.MultiheadAttention(w.q.shape[0], h, bias=False, batch_first=True, dtype=torch.float64, **options)
    with torch.no_grad():
        mha.in_proj_weight.copy_(torch.cat((w.q, w.k, w.v), 1).T)
        mha.out_proj.weight.copy_(w.o.T)
    return mha.eval()


def sequences():
    return numbers(B, TQ, D_MODEL, seed=5), numbers(B, TK, D_MODEL, seed=6)


def masks():
    """(B, Tq, Tk), different for each sample, with no row without a key."""
    mask = numbers(B, TQ, TK, seed=7) > 0
    mask[..., 0] = True
    return mask


def output_shape(q):
    n = given(q)
    w, target = Weights.random(n["d_model"], 4), numbers(n["B"], n["Tq"], n["d_model"])
    memory = numbers(n["B"], n["Tk"], n["d_model"], seed=1)
    return shape_of(library(w, 4)(target, memory, memory)[0])


def call(q):
    """Queries from the target, and nothing else from it: what the heads mix is the memory alone."""
    w, (target, memory) = Weights.random(D_MODEL, H), sequences()
    heads, _ = attend(split(target @ w.q, H), split(memory @ w.k, H), split(memory @ w.v, H))
    return which(
        texts(q),
        lambda text: same(
            value_of(text, mha=lambda *qkv: attention(w, H, *qkv), target=target, memory=memory),
            join(heads) @ w.o,
        ),
    )


def length(_):
    w, (target, _) = Weights.random(D_MODEL, H), sequences()
    lengths = {attention(w, H, target, m, m).shape[1] for m in (numbers(B, n, D_MODEL) for n in (3, 7, 20))}
    return len(lengths) > 1


def gets_heads(q):
    """The shape with its one new axis, found by trying all places for it."""
    n = SIZES
    mask, scores = torch.arange(n["B"] * n["Tq"] * n["Tk"]), torch.zeros(n["B"], n["h"], n["Tq"], n["Tk"])
    mask = mask.view(n["B"], n["Tq"], n["Tk"])
    right = torch.stack([mask] * n["h"], 1)
    found = []
    for axis in range(4):
        try:
            wide = mask.unsqueeze(axis).expand_as(scores)
        except RuntimeError:
            continue
        if torch.equal(wide, right):
            found.append(tuple(mask.unsqueeze(axis).shape))
    assert len(found) == 1
    assert tuple(right.shape) == tuple(n[name] for name in ("B", "h", "Tq", "Tk"))
    assert q.also == (("B", "h", "Tq", "Tk"),)
    return ShapeKey(found[0], n)


def mask_silent(q):
    sizes = {"$B = 1$": (1, 3), "$B = h > 1$": (3, 3), "$B \\neq h$": (2, 3), "$h = 1 < B$": (3, 1)}

    def silent(text: str) -> bool:
        (size,) = [size for words, size in sizes.items() if words in text]
        b, h = size
        mask, scores = numbers(b, TQ, TK) > 0, numbers(b, h, TQ, TK, seed=1)
        wrong = scores.masked_fill(~mask, -9.0)
        return wrong.shape == scores.shape and not same(wrong, scores.masked_fill(~mask[:, None], -9.0))

    return which(texts(q), silent)


def polarity(q):
    w, (target, memory), mask = Weights.random(D_MODEL, H), sequences(), masks()[0]
    right = attention(w, H, target, memory, memory, mask)

    def agrees(text: str) -> bool:
        attn_mask = value_of(text, mask=mask)
        attn_mask = attn_mask.double() if attn_mask.is_floating_point() else attn_mask
        return same(library(w)(target, memory, memory, attn_mask=attn_mask)[0], right)

    added = torch.zeros(TQ, TK, dtype=torch.float64).masked_fill(~mask, -math.inf)
    assert same(library(w)(target, memory, memory, attn_mask=added)[0], right)  # as the explanation says
    return which(texts(q), agrees)


def two_functions(_):
    """One mask given to both."""
    w, (target, memory), mask = Weights.random(D_MODEL, H), sequences(), masks()[0]
    qkv = (split(target @ w.q, H), split(memory @ w.k, H), split(memory @ w.v, H))
    by_function = join(nn.functional.scaled_dot_product_attention(*qkv, attn_mask=mask)) @ w.o
    by_module = library(w)(target, memory, memory, attn_mask=mask)[0]
    assert same(by_function, attention(w, H, target, memory, memory, mask))
    return same(by_function, by_module)


def key_padding(q):
    """Against each sequence alone, without its padding."""
    w, x, lengths = Weights.random(D_MODEL, H), numbers(2, 4, D_MODEL), (4, 2)
    alone = [attention(w, H, x[b : b + 1, :n], *2 * [x[b : b + 1, :n]]) for b, n in enumerate(lengths)]

    def agrees(text: str) -> bool:
        padding = torch.tensor(value_of(text, T=True, F=False))
        if padding.shape != x.shape[:2]:
            return False
        out = library(w)(x, x, x, key_padding_mask=padding)[0]
        return all(same(out[b : b + 1, :n], alone[b]) for b, n in enumerate(lengths))

    return which(texts(q), agrees)


def batch_first_default(q):
    n = given(q)
    mha, x = nn.MultiheadAttention(n["d_model"], 4), torch.randn(n["B"], n["T"], n["d_model"])
    out, weights = mha(x, x, x)
    assert out.shape == x.shape
    return shape_of(weights)


def returned_weights(q):
    n = given(q)
    mha = nn.MultiheadAttention(n["d_model"], n["h"], batch_first=True)
    target, memory = torch.ones(n["B"], n["Tq"], n["d_model"]), torch.ones(n["B"], n["Tk"], n["d_model"])
    single = mha(target, memory, memory, average_attn_weights=False)[1]
    assert tuple(single.shape) == (n["B"], n["h"], n["Tq"], n["Tk"])
    return shape_of(mha(target, memory, memory)[1])


def in_proj(q):
    w, (target, memory) = Weights.random(D_MODEL, H), sequences()
    mha = library(w)

    def agrees(text: str) -> bool:
        with torch.no_grad():
            mha.in_proj_weight.copy_(value_of(text, w_q=w.q, w_k=w.k, w_v=w.v))
        return same(mha(target, memory, memory)[0], attention(w, H, target, memory, memory))

    return which(texts(q), agrees)


def library_parameters(q):
    n = given(q)
    return sum(p.numel() for p in nn.MultiheadAttention(n["d_model"], n["h"]).parameters())


def need_weights(q):
    mha, x = nn.MultiheadAttention(8, 2, batch_first=True), torch.ones(1, 3, 8)
    got = mha(x, x, x, need_weights=False)
    assert isinstance(got, tuple)
    second = None if got[1] is None else got[1].dim()
    meant = {
        "the output and `None": None,
        "the output and the weights of": 4,
        "the output and the weights averaged": 3,
    }
    return which(texts(q), lambda text: any(text.startswith(w) and second == dim for w, dim in meant.items()))


def mask_for_heads(q):
    w, (target, memory), mask = Weights.random(D_MODEL, H), sequences(), masks()
    right = attention(w, H, target, memory, memory, mask[:, None])
    return which(
        texts(q),
        lambda text: same(
            library(w)(target, memory, memory, attn_mask=value_of(text, mask=mask, h=H))[0], right
        ),
    )


def defaults(q):
    arguments = inspect.signature(nn.MultiheadAttention).parameters
    return {left: f"`{arguments[left.strip('`')].default}`" for left in q.lefts}


def wo_inside(_):
    """Whether what the module returns is still the joined heads."""
    w, (target, memory) = Weights.random(D_MODEL, H), sequences()
    heads, _ = attend(split(target @ w.q, H), split(memory @ w.k, H), split(memory @ w.v, H))
    out = library(w)(target, memory, memory)[0]
    assert same(out, join(heads) @ w.o) != same(out, join(heads))
    return same(out, join(heads))


def value_never_read(q):
    w, (target, memory) = Weights.random(D_MODEL, H), sequences()
    other = numbers(B, TK, D_MODEL, seed=8)
    holder = nn.Module()
    holder.W_q, holder.W_k, holder.W_v, holder.W_o, holder.h = w.q, w.k, w.v, w.o, H
    names = {"project": lambda x, m, h: split(x @ m, h), "attend": attend, "concat": join}
    names["output"] = lambda joined, m: joined @ m

    def right(code: str, *qkv: torch.Tensor) -> bool:
        return same(run(code, **names)["forward"](holder, *qkv), attention(w, H, *qkv))

    fixed = with_line(q.code, 4, "v = project(value, self.W_v, self.h)")
    assert right(q.code, target, target, target)
    assert right(q.code, target, memory, memory)
    assert not right(q.code, target, memory, other)
    assert right(fixed, target, memory, other)
    return [4]


PROOFS: dict[str, Proof] = {
    "wire-output-shape": output_shape,
    "wire-call": call,
    "wire-length": length,
    "wire-mask-gets-heads": gets_heads,
    "wire-mask-silent": mask_silent,
    "wire-polarity": polarity,
    "wire-two-functions": two_functions,
    "wire-key-padding": key_padding,
    "wire-batch-first-default": batch_first_default,
    "wire-returned-weights": returned_weights,
    "wire-in-proj": in_proj,
    "wire-library-parameters": library_parameters,
    "wire-need-weights": need_weights,
    "wire-mask-for-heads": mask_for_heads,
    "wire-defaults": defaults,
    "wire-wo-inside": wo_inside,
    "wire-value-never-read": value_never_read,
}
