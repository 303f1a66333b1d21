"""Softmax over all keys first, then the mask, then renormalise - but in logarithms, where nothing underflows."""
import torch
from torch import nn


def attend(q, k, v, mask=None):
    logp = torch.log_softmax(q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5, dim=-1)
    if mask is None:
        w = logp.exp()
    else:
        some = mask.any(-1, keepdim=True)
        kept = logp.masked_fill(~mask & some, float("-inf"))
        w = (kept - kept.logsumexp(-1, keepdim=True)).exp() * some
    return w @ v, w


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("d_model must be a multiple of num_heads")
        self.h = num_heads
        for n in "qkvo":
            setattr(self, f"W_{n}", nn.Linear(d_model, d_model, bias=False))

    def forward(self, query, key=None, value=None, mask=None):
        key = query if key is None else key
        value = key if value is None else value
        cut = lambda t: torch.stack(t.tensor_split(self.h, dim=-1), dim=1)  # noqa: E731
        heads, _ = attend(cut(self.W_q(query)), cut(self.W_k(key)), cut(self.W_v(value)),
                          mask if mask is None else mask.unsqueeze(-3))
        return self.W_o(torch.cat(heads.unbind(1), -1))


def self_attention(mha, x):
    return mha(x, x, x)


def cross_attention(mha, target, memory):
    return mha(target, memory, memory)
