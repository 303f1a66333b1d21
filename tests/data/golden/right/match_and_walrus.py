import torch
from torch import Tensor, nn


def project(x, w, num_heads):
    match divmod(w.shape[1], num_heads):
        case (d_k, 0):
            return (x @ w).reshape(*x.shape[:2], num_heads, d_k).transpose(1, 2)
        case (_, rest):
            raise ValueError(f"{rest} of {w.shape[1]} columns are left over with {num_heads} heads")


def attend(q, k, v, mask=None):
    scores = q @ k.mT / (d_k := q.shape[-1]) ** 0.5
    assert d_k > 0
    match mask:
        case None:
            weights = scores.softmax(-1)
        case Tensor() if mask.dtype == torch.bool:
            weights = scores.masked_fill(no := ~mask, torch.finfo(scores.dtype).min).softmax(-1).masked_fill(no, 0)
        case _:
            raise TypeError("mask must be boolean")
    return weights @ v, weights


def output(concatenated, w_o):
    match concatenated.shape, w_o.shape:
        case (_, _, a), (b, _) if a == b:
            return concatenated @ w_o
        case (*_, a), (b, *_):
            raise ValueError(f"{a} columns meet {b} rows")


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if rest := d_model % num_heads:
            raise ValueError(f"{rest} left over")
        self.num_heads = num_heads
        self.W_qkv = nn.Linear(d_model, 3 * d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, query, key=None, value=None, mask=None):
        match key, value:
            case None, None:
                q, k, v = self.W_qkv(query).chunk(3, -1)
            case _:
                wq, wk, wv = self.W_qkv.weight.chunk(3)
                q, k, v = query @ wq.T, key @ wk.T, value @ wv.T
        q, k, v = (t.unflatten(-1, (self.num_heads, -1)).transpose(1, 2) for t in (q, k, v))
        if mask is not None and (missing := 4 - mask.dim()):
            mask = mask[None, None] if missing == 2 else mask[:, None]
        return self.W_o(attend(q, k, v, mask)[0].transpose(1, 2).flatten(2))


def self_attention(mha, x):
    return mha(x, x, x)


def cross_attention(mha, target, memory):
    return mha(target, memory, memory)
