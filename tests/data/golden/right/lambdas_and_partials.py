import functools
import operator
import torch
import torch.nn as nn


def _refuse(a, b):
    raise ValueError(f"{a} is not divisible by {b}")


def _split(x, w, num_heads, merge):
    return (x @ w).reshape(x.shape[0], x.shape[1], num_heads, -1).transpose(1, 2) if merge else None


project = lambda x, w, num_heads: (_split(x, w, num_heads, True) if w.shape[1] % num_heads == 0  # noqa: E731
                                   else _refuse(w.shape[1], num_heads))


def _attend(q, k, v, mask=None, *, fill, normalise):
    s = q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5
    if mask is None:
        w = normalise(s)
    else:
        w = normalise(s.masked_fill(~mask, fill(s))) * mask
    return w @ v, w


attend = functools.partial(_attend, fill=lambda s: torch.finfo(s.dtype).min, normalise=nn.Softmax(dim=-1))

concat = lambda heads: functools.reduce(lambda a, b: torch.cat([a, b], -1), heads.unbind(1))  # noqa: E731


def output(concatenated, w_o):
    return (operator.matmul(concatenated, w_o) if concatenated.shape[-1] == w_o.shape[0]
            else _refuse(concatenated.shape[-1], w_o.shape[0]))


self_attention = lambda mha, x: mha(*(x,) * 3)  # noqa: E731
cross_attention = lambda mha, target, memory: mha(target, memory, memory)  # noqa: E731


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            _refuse(d_model, num_heads)
        linear = functools.partial(nn.Linear, d_model, d_model, bias=False)
        self.W_q, self.W_k, self.W_v, self.W_o = linear(), linear(), linear(), linear()
        self.cut = functools.partial(project, num_heads=num_heads)

    def forward(self, query, key=None, value=None, mask=None):
        key = query if key is None else key
        value = key if value is None else value
        q, k, v = (self.cut(t, lin.weight.T) for t, lin in
                   zip((query, key, value), (self.W_q, self.W_k, self.W_v)))
        return self.W_o(concat(attend(q, k, v, mask if mask is None else mask.unsqueeze(-3))[0]))
