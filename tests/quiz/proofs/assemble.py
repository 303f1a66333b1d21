"""Objective `assemble`."""

from __future__ import annotations

from itertools import permutations

import torch
from torch import nn

from .base import (
    Proof,
    Weights,
    attention,
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


class Listed(nn.Module):
    """Layers in a plain list, all used."""

    def __init__(self) -> None:
        super().__init__()
        self.heads = [nn.Linear(64, 16) for _ in range(4)]

    def forward(self, x):
        return torch.cat([head(x) for head in self.heads], -1)


def plain_list(q):
    model = Listed()
    try:
        model(torch.ones(1, 2, 64)).sum().backward()
        raises = False
    except RuntimeError:
        raises = True
    facts = {
        "`state_dict()` does not contain": not model.state_dict(),
        "A forward on the CPU raises": raises,
        "An optimizer made from": not list(model.parameters()),
        "`model.to(device)` leaves": Listed().to("meta").heads[0].weight.device.type == "cpu",
        "Their weights get no gradient": model.heads[0].weight.grad is None,
    }
    options = [option.text for option in sorted(q.options, key=lambda option: option.place)]
    return which(options, lambda text: next(fact for words, fact in facts.items() if text.startswith(words)))


def what_is_counted(q):
    d = given(q)["d"]
    mha = nn.Module()
    mha.qkv = [nn.Linear(d, d, bias=False) for _ in range(3)]
    mha.W_o = nn.Linear(d, d, bias=False)
    return sum(p.numel() for p in mha.parameters())


def list_times_h(q):
    n = given(q)
    layers = nn.ModuleList([nn.Linear(n["d_model"], n["d_model"] // n["h"], bias=False)] * n["h"])
    return sum(p.numel() for p in layers.parameters())


def fused_weight(q):
    d_model = given(q)["d_model"]
    return shape_of(nn.Linear(d_model, 3 * d_model, bias=False).weight)


def orientation(q):
    layer, x = nn.Linear(64, 64, bias=False, dtype=torch.float64), numbers(2, 5, 64)
    return which(texts(q), lambda text: same(value_of(text, x=x, w=layer.weight), layer(x)))


def constant(q):
    """Each way tried: does the mask move, and is nothing to be trained?"""

    def fits(text: str) -> bool:
        module = nn.Module()
        run(text, self=module, mask=torch.ones(3, 3, dtype=torch.bool).tril())
        module.to("meta")
        moved = isinstance(module.mask, torch.Tensor) and module.mask.device.type == "meta"
        return moved and not list(module.parameters())

    return which(texts(q), fits)


def new_weights_each_call(_):
    joined = torch.ones(1, 2, 8)
    one, other = (value_of("nn.Linear(8, 8)(joined)", joined=joined) for _ in range(2))
    return not torch.equal(one, other)


def no_super(q):
    """The line of the class in which making one fails."""
    try:
        shown = f"It prints `{printed(q.code)}`."
    except AttributeError as error:
        trace = error.__traceback__
        lines = []
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == "<question>":
                lines.append(trace.tb_lineno)
            trace = trace.tb_next
        shown = f"Line {lines[-1]} raises an error."
    options = [option.text for option in sorted(q.options, key=lambda option: option.place)]
    return which(options, lambda text: text == shown)


def true_division(q):
    x = torch.ones(2, 3, 8)

    def works(code: str) -> bool:
        return run(code)["MultiHeadAttention"](8, 2)(x).shape == (2, 2, 3, 4)

    run(q.code)["MultiHeadAttention"](8, 2)  # constructing works
    assert which([q.code, with_line(q.code, 5, "self.d_k = d_model // num_heads")], works) == [False, True]
    return [5]


def cut_the_fused(q):
    """Row r of W_qkv, counted along its outputs, belongs to part r // d_model, head r % d_model // d_k."""
    B, T, h, d_k = 2, 5, 4, 7  # no size is 3
    x, w = numbers(B, T, 6), Weights(*(numbers(6, h * d_k, seed=n) for n in range(3)), numbers(1, 1))
    y = x @ torch.cat((w.q, w.k, w.v), 1)

    def cuts(text: str) -> bool:
        view = value_of(text, y=y, B=B, T=T, h=h, d_k=d_k)
        sizes = tuple(view.shape)
        if sizes != (B, T, 3, h, d_k):  # the axes that the view names, brought into one order
            names = text[text.index("(") + 1 : -1].split(", ")
            view = view.permute([names.index(name) for name in ("B", "T", "3", "h", "d_k")])
        parts = [part.unflatten(-1, (h, d_k)) for part in (x @ w.q, x @ w.k, x @ w.v)]
        return same(view, torch.stack(parts, 2))

    return which(texts(q), cuts)


def defined_not_used(_):
    module = nn.Module()
    module.W_q, module.W_o = nn.Linear(4, 4), nn.Linear(4, 4)
    module.W_q(torch.ones(1, 2, 4)).sum().backward()
    assert module.W_q.weight.grad is not None
    return "W_o.weight" in module.state_dict() and module.W_o.weight.grad is None


def forward_order(q):
    """Of all orders of the lines the only one that computes the formula."""
    B, T, h, d_k = 2, 5, 3, 4
    d_model = h * d_k
    w, x = Weights.random(d_model, h), numbers(B, T, d_model)
    names = {"B": B, "T": T, "h": h, "d_k": d_k, "x": x}
    names["W_qkv"] = lambda x: x @ torch.cat((w.q, w.k, w.v), 1)
    names["W_o"] = lambda y: y @ w.o
    lines = [item.text.strip("`") for item in q.items]
    working = []
    for order in permutations(lines):
        try:
            answer = run("\n".join(order), **names)["answer"]
        except NameError:
            continue
        if same(answer, attention(w, h, x, x, x)):
            working.append([f"`{line}`" for line in order])
    assert len(working) == 1
    return working[0]


def how_it_is_kept(q):
    facts = {
        (True, True, True): "in `parameters()` and in `state_dict()`",
        (False, True, True): "moved by `to()`, in `state_dict()`, not in `parameters()`",
        (False, False, True): "moved by `to()`, in neither of the two",
        (False, False, False): "not moved, and in neither of the two",
        (True, False, True): "in `parameters()`, not in `state_dict()`",
    }
    found = {}
    for left in q.lefts:
        module = nn.Module()
        run(left.strip("`"), self=module, t=torch.ones(2))
        trained, saved = bool(list(module.parameters())), bool(module.state_dict())
        found[left] = facts[trained, saved, module.to("meta").t.device.type == "meta"]
    return found


PROOFS: dict[str, Proof] = {
    "assemble-plain-list": plain_list,
    "assemble-what-is-counted": what_is_counted,
    "assemble-list-times-h": list_times_h,
    "assemble-fused-weight": fused_weight,
    "assemble-orientation": orientation,
    "assemble-state-dict": lambda q: printed(q.code),
    "assemble-constant": constant,
    "assemble-new-weights-each-call": new_weights_each_call,
    "assemble-no-super": no_super,
    "assemble-true-division": true_division,
    "assemble-cut-the-fused": cut_the_fused,
    "assemble-defined-not-used": defined_not_used,
    "assemble-forward-order": forward_order,
    "assemble-how-it-is-kept": how_it_is_kept,
}
