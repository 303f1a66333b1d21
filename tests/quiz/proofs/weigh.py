"""Objective `weigh`: costs are counted while the formula runs, not computed from another formula."""

from __future__ import annotations

import torch
from torch.overrides import TorchFunctionMode

from .base import Proof, Weights, attend, attention, given, join, numbers, printed, run, split, texts, which


class Operations(TorchFunctionMode):
    """Counts what every matrix product that runs inside takes, a multiply-add as 2."""

    count = 0

    def __torch_function__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        if func in {torch.matmul, torch.Tensor.matmul, torch.Tensor.__matmul__}:
            self.count += 2 * result.numel() * args[0].shape[-1]
        return result


def flops(T, d_model, h, B=1):
    """Operations of the matrix products of one self-attention forward."""
    w, x = Weights.random(d_model, h), numbers(B, T, d_model)
    with Operations() as counter:
        attention(w, h, x, x, x)
    return counter.count


def parts(T, d_model, h):
    """The same, product by product."""
    w, x = Weights.random(d_model, h), numbers(1, T, d_model)
    found = {}

    def counted(name, compute):
        with Operations() as counter:
            result = compute()
        found[name] = counter.count
        return result

    q, k, v = counted("projections", lambda: [split(x @ m, h) for m in (w.q, w.k, w.v)])
    scores = counted("scores", lambda: q @ k.mT)
    heads = counted("values", lambda: scores.softmax(-1) @ v)
    counted("W_O", lambda: join(heads) @ w.o)
    return found


def parameters(q):
    n = given(q)
    return Weights.random(n["d_model"], n["h"]).count()


def double_heads(q):
    n = given(q)
    x, w = numbers(1, 2, n["d_model"]), numbers(n["d_model"], n["d_model"])
    before, after = (split(x @ w, h).shape[-1] for h in (n["h"], 2 * n["h"]))
    verb = "shrinks" if after < before else "grows"
    said = f"It {verb} from {before} to {after}." if after != before else f"It stays at {before}."
    return which(texts(q), lambda text: text == said)


def eight_times(_):
    assert flops(2, 4, 2) == 320  # the lesson's own example, worked by hand
    return flops(16, 64, 8) == 8 * flops(16, 64, 1)


def all_flops(q):
    n = given(q)
    return flops(n["T"], n["d_model"], n["h"], n["B"])


def what_grows(q):
    """Everything that is asked about, with h heads and with twice as many."""

    def facts(h):
        w, x = Weights.random(24, h), numbers(2, 5, 24)
        heads, weights = attend(split(x @ w.q, h), split(x @ w.k, h), split(x @ w.v, h))
        return {
            "weights": w.count(),
            "maps": weights.numel(),
            "products": flops(5, 24, h, 2),
            "concatenation": join(heads).shape[-1],
            "softmax": weights.numel(),  # one exponential an entry
        }

    few, many = facts(3), facts(6)
    return which(texts(q), lambda text: next(many[name] > few[name] for name in few if text.endswith(name)))


def maps(q):
    n = given(q)
    x = numbers(n["B"], n["T"], 16)
    return attend(*3 * [split(x, n["h"])])[1].numel()


def twice_as_long(q):
    short, long = parts(10, 16, 2), parts(20, 16, 2)
    names = {"the scores": "scores", "the projections": "projections", "the weights times": "values"}
    names["the product with $W_O$"] = "W_O"

    def four_times(text: str) -> bool:
        (name,) = [name for words, name in names.items() if text.startswith(words)]
        return long[name] == 4 * short[name]

    return which(texts(q), four_times)


def crossover(q):
    n = given(q)

    def costs(T: int) -> tuple[int, int]:
        cost = parts(T, n["d_model"], n["h"])
        return cost["scores"] + cost["values"], cost["projections"] + cost["W_O"]

    pairs, singles = costs(1)
    T = singles // pairs  # the first grow with T², the second with T
    assert [a / b for a, b in (costs(T), costs(T // 2))] == [1, 0.5]
    return T


def wide_heads(q):
    n = given(q)
    return Weights.random(n["d_model"], n["h"], n["d_model"], n["d_model"]).count()


def read_pattern(q):
    weights = run(q.code)["weights"]
    assert torch.allclose(weights.sum(-1), torch.ones(4))
    looks_at = weights.argmax(-1).tolist()
    patterns = {
        "itself.": [0, 1, 2, 3],
        "before it, and the first at itself.": [0, 0, 1, 2],
        "after it.": [1, 2, 3, 3],
        "first one.": [0, 0, 0, 0],
    }
    return which(
        texts(q), lambda text: patterns[max((w for w in patterns if text.endswith(w)), key=len)] == looks_at
    )


def read_token(q):
    weights = run(q.code)["weights"]
    assert torch.allclose(weights.sum(-1), torch.ones(4))
    tokens = ["she", "fed", "her", "cat"]
    assert tokens[weights[:, 1].argmax()] == "her"  # as the explanation says
    return printed(q.code)


def columns(_):
    _, weights = attend(numbers(1, 1, 5, 4), numbers(1, 1, 5, 4, seed=1), numbers(1, 1, 5, 4, seed=2))
    assert torch.allclose(weights.sum(-1), torch.ones_like(weights.sum(-1)))
    return bool(torch.allclose(weights.sum(-2), torch.ones_like(weights.sum(-2))))


def average_hides(_):
    """One head on the diagonal, one beside it: how many keys with much weight a row has."""
    itself, before = torch.eye(4), torch.eye(4)[[0, 0, 1, 2]]
    strong = [
        (weights > 0.4).sum(-1)[1:].unique().tolist() for weights in (itself, before, (itself + before) / 2)
    ]
    return strong == [[1], [1], [2]]


def sizes(_):
    T, d_model, h = 1000, 64, 8
    w, x = Weights.random(d_model, h), numbers(1, T, d_model)
    _, weights = attend(split(x @ w.q, h), split(x @ w.k, h), split(x @ w.v, h))
    counts = {
        "the block of $W_Q$ that belongs to one head": w.q.chunk(h, 1)[0].numel(),
        "$W_O$": w.o.numel(),
        "the residual stream `x`": x.numel(),
        "the attention map of one head": weights[:, 0].numel(),
        "the attention maps of all heads": weights.numel(),
    }
    assert len(set(counts.values())) == len(counts)
    return sorted(counts, key=counts.__getitem__)


def factors(_):
    def facts(h):
        w, x = Weights.random(24, h), numbers(1, 5, 24)
        query = split(x @ w.q, h)
        return query.shape[-1], w.count(), attend(query, query, query)[1].numel()

    ratios = [many / few for few, many in zip(facts(3), facts(6), strict=True)]
    names = {0.5: "1/2", 1.0: "1", 2.0: "2"}
    return [names[ratio] for ratio in ratios]


def rank(q):
    n = given(q)
    x, w = numbers(n["T"], n["d_model"]), Weights.random(n["d_model"], n["h"])
    query, key = x @ w.q.chunk(n["h"], 1)[0], x @ w.k.chunk(n["h"], 1)[0]
    return int(torch.linalg.matrix_rank(query @ key.T))


PROOFS: dict[str, Proof] = {
    "weigh-parameters": parameters,
    "weigh-double-heads": double_heads,
    "weigh-eight-times": eight_times,
    "weigh-flops": all_flops,
    "weigh-what-grows": what_grows,
    "weigh-maps": maps,
    "weigh-twice-as-long": twice_as_long,
    "weigh-crossover": crossover,
    "weigh-wide-heads": wide_heads,
    "weigh-read-pattern": read_pattern,
    "weigh-read-token": read_token,
    "weigh-columns": columns,
    "weigh-average-hides": average_hides,
    "weigh-sizes": sizes,
    "weigh-factors": factors,
    "weigh-rank": rank,
}
