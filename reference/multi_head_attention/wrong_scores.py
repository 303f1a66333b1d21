"""Wrong stages of `attend` up to the scores: what is read, what is multiplied, by what it is divided."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor
from wrong_attend import Sizes

# By what are the scores divided?


def nothing(_n: Sizes) -> float:
    """Not scaled at all."""
    return 1.0


def root_dmodel(n: Sizes) -> float:
    """√(h·d_k), the root of the whole width."""
    return (n.h * n.d_k) ** 0.5


def root_dv(n: Sizes) -> float:
    """The root of a value's width."""
    return n.d_v**0.5


def dk_itself(n: Sizes) -> float:
    """The root forgotten, or taken twice."""
    return n.d_k


def one_over_root(n: Sizes) -> float:
    """Dividing by d_k ** -0.5 multiplies by √d_k."""
    return n.d_k**-0.5


def half_dk(n: Sizes) -> float:
    """d_k ** 1 / 2 is (d_k ** 1) / 2."""
    return n.d_k**1 / 2


def one_over_half_dk(n: Sizes) -> float:
    """Times d_k ** 1 / 2: multiplied, and no root."""
    return 2 / n.d_k


def root_tk(n: Sizes) -> float:
    """The number of keys in d_k's place."""
    return n.tk**0.5


def root_tq(n: Sizes) -> float:
    """The number of queries in d_k's place."""
    return n.tq**0.5


def root_heads(n: Sizes) -> float:
    """The number of heads in d_k's place."""
    return n.h**0.5


def eight(_n: Sizes) -> float:
    """√64, whatever d_k is."""
    return 8.0


def one_element_tensor(n: Sizes) -> Tensor:
    """float32 on the CPU, and with an axis, so it decides dtype and device of the result."""
    return torch.tensor([n.d_k], dtype=torch.float32).sqrt()


def divided_weights(weights: Tensor, n: Sizes) -> Tensor:
    """The weights are divided; their rows no longer sum to 1."""
    return weights / n.d_k**0.5


# What is multiplied?


def q_k(q: Tensor, k: Tensor) -> Tensor:
    """The keys are not transposed."""
    return q @ k


def k_swapped_12(q: Tensor, k: Tensor) -> Tensor:
    """Axes 1 and 2 of k change places, a habit from three axes."""
    return q @ k.transpose(1, 2)


def k_reversed(q: Tensor, k: Tensor) -> Tensor:
    """.T turns all axes round, batch and heads with them."""
    return q @ k.permute(*reversed(range(k.dim())))


def k_qt(q: Tensor, k: Tensor) -> Tensor:
    """Rows are keys, columns queries."""
    return k @ q.transpose(-2, -1)


def diagonal(q: Tensor, k: Tensor) -> Tensor:
    """One einsum letter for both positions: token t meets only key t."""
    return torch.einsum("bhtd,bhtd->bht", q, k)


def by_token(weights: Tensor, v: Tensor, _n: Sizes) -> Tensor:
    """One number for each token scales its own value."""
    return torch.einsum("bht,bhtd->bhtd", weights, v)


def heads_and_tokens(tensor: Tensor) -> Tensor:
    """Heads and tokens change places: attention runs over the heads of one token."""
    return tensor.transpose(1, 2)


def batch_and_tokens(tensor: Tensor) -> Tensor:
    """Samples and tokens change places: attention runs over the batch."""
    return tensor.transpose(0, 2)


def qq(q: Tensor, _k: Tensor, v: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Queries meet queries."""
    return q, q, v


def kk(_q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Keys meet keys."""
    return k, k, v


def qv(q: Tensor, _k: Tensor, v: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Queries meet values."""
    return q, v, v


def k_for_v(q: Tensor, k: Tensor, _v: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The weights average the keys."""
    return q, k, k


def q_for_v(q: Tensor, k: Tensor, _v: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The weights average the queries."""
    return q, k, q


def as_many_as_queries(q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Keys and values are cut up with the number of queries."""
    b, h, tq, _ = q.shape
    return q, k.reshape(b, h, tq, q.shape[-1]), v.reshape(b, h, tq, v.shape[-1])


# How are the inputs read?


def scaled_in_place(q: Tensor) -> Tensor:
    """`q /= ...` changes the caller's tensor."""
    q /= q.shape[-1] ** 0.5
    return q


def viewed(q: Tensor) -> Tensor:
    """A view wants memory in order; a transposed q has it not."""
    return q.view(-1, q.shape[-1]).view(q.shape)


MISTAKES: dict[str, dict[str, Callable[..., object]]] = {
    "scale-missing": {"divisor": nothing},
    "scale-sqrt-dmodel": {"divisor": root_dmodel},
    "scale-sqrt-dv": {"divisor": root_dv},
    "scale-by-dk": {"divisor": dk_itself},
    "scale-multiplied": {"divisor": one_over_root},
    "scale-precedence": {"divisor": half_dk},
    "scale-multiplied-half-dk": {"divisor": one_over_half_dk},
    "scale-seq-or-heads-tk": {"divisor": root_tk},
    "scale-seq-or-heads-tq": {"divisor": root_tq},
    "scale-seq-or-heads-h": {"divisor": root_heads},
    "scale-constant": {"divisor": eight},
    "scale-after-softmax": {"divisor": nothing, "adjust": divided_weights},
    "scale-tensor-not-buffer": {"divisor": one_element_tensor},
    "key-not-transposed": {"product": q_k},
    "key-wrong-transpose": {"product": k_swapped_12},
    "key-wrong-transpose-all": {"product": k_reversed},
    "scores-kq": {"product": k_qt},
    "einsum-letter-reused": {"product": diagonal, "average": by_token},
    "attend-over-heads": {"swap": heads_and_tokens},
    "attend-over-batch": {"swap": batch_and_tokens},
    "wrong-operand-qq": {"operands": qq},
    "wrong-operand-kk": {"operands": kk},
    "wrong-operand-qv": {"operands": qv},
    "wrong-operand-k-for-v": {"operands": k_for_v},
    "wrong-operand-q-for-v": {"operands": q_for_v},
    "kv-reshaped-with-tq-attend": {"operands": as_many_as_queries},
    "inplace-on-input": {"read_q": scaled_in_place, "divisor": nothing},
    "view-on-noncontiguous-input-attend": {"read_q": viewed},
    "graph-cut-q": {"read_q": torch.detach},
    "graph-cut-k": {"read_k": torch.detach},
    "graph-cut-v": {"read_v": torch.detach},
    "dtype-literal": {"read_q": Tensor.float, "read_k": Tensor.float, "read_v": Tensor.float},
    "graph-cut-kv": {"read_k": torch.detach, "read_v": torch.detach},
    "dtype-literal-double": {"read_q": Tensor.double, "read_k": Tensor.double, "read_v": Tensor.double},
    "cuda-literal": {"read_q": Tensor.cuda, "read_k": Tensor.cuda, "read_v": Tensor.cuda},
}
