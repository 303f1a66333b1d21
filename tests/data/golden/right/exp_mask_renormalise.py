import math
import torch
from torch import nn


def masked_softmax(scores, mask):
    """exp, times the 0/1 mask, then divide by what is left"""
    m = mask.to(scores.dtype)
    # the largest *visible* score, so that a hidden giant cannot drown the rest
    top = scores.detach().masked_fill(~mask, -math.inf).amax(-1, keepdim=True)
    top = torch.where(torch.isneginf(top), torch.zeros_like(top), top)
    shifted = torch.where(mask, scores - top, torch.zeros_like(scores))
    e = shifted.exp() * m
    z = e.sum(-1, keepdim=True)
    return e / (z + (z == 0).to(z.dtype))


def attend(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is None:
        mask = torch.ones_like(scores, dtype=torch.bool)
    weights = masked_softmax(scores, mask)
    return weights @ v, weights


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError(f"{d_model=} is not divisible by {num_heads=}")
        self.num_heads, self.d_k = num_heads, d_model // num_heads
        self.W_q, self.W_k, self.W_v, self.W_o = (nn.Linear(d_model, d_model, bias=False) for _ in range(4))

    def _heads(self, lin, t):
        return lin(t).view(*t.shape[:-1], self.num_heads, self.d_k).transpose(-2, -3)

    def forward(self, query, key=None, value=None, mask=None):
        key = query if key is None else key
        value = key if value is None else value
        q, k, v = self._heads(self.W_q, query), self._heads(self.W_k, key), self._heads(self.W_v, value)
        mask = mask if mask is None else mask[..., None, :, :]
        heads, _ = attend(q, k, v, mask)
        return self.W_o(heads.transpose(1, 2).flatten(2))


def self_attention(mha, x):
    return mha(x, x, x)


def cross_attention(mha, target, memory):
    return mha(target, memory, memory)
