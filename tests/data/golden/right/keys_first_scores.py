# scores live as (i, j, b, h): softmax over dim 1, because that is where the keys are
import torch
from torch import nn


def get_scores(q, k):
    return torch.einsum("ibhd,jbhd->ijbh", q, k)


def attend(q, k, v, mask=None):
    q, k, v = (t.permute(2, 0, 1, 3) for t in (q, k, v))
    scores = get_scores(q, k) * (1 / q.shape[-1] ** 0.5)
    if mask is not None:
        full = mask.expand(q.shape[1], q.shape[2], q.shape[0], k.shape[0]).permute(2, 3, 0, 1)
        scores = scores.masked_fill(~full, torch.finfo(scores.dtype).min)
    attn = scores.softmax(dim=1)
    if mask is not None:
        attn = attn * full
    x = torch.einsum("ijbh,jbhd->ibhd", attn, v)
    return x.permute(1, 2, 0, 3), attn.permute(2, 3, 0, 1)


class PrepareForMultiHeadAttention(nn.Linear):
    """A linear layer that splits into heads."""

    def __init__(self, d_model, heads):
        super().__init__(d_model, d_model, bias=False)
        self.heads = heads

    def forward(self, x):
        return super().forward(x).view(*x.shape[:-1], self.heads, -1)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("d_model / heads is not whole")
        self.W_q = PrepareForMultiHeadAttention(d_model, num_heads)
        self.W_k = PrepareForMultiHeadAttention(d_model, num_heads)
        self.W_v = PrepareForMultiHeadAttention(d_model, num_heads)
        self.W_o = nn.Linear(d_model, d_model, bias=False)
        self.scale = 1 / (d_model // num_heads) ** 0.5
        self.softmax = nn.Softmax(dim=1)

    def forward(self, query, key, value, mask=None):
        # (T, B, h, d_k) from here on
        q, k, v = (lin(t).transpose(0, 1) for lin, t in ((self.W_q, query), (self.W_k, key), (self.W_v, value)))
        scores = get_scores(q, k) * self.scale
        if mask is not None:
            m = mask.unsqueeze(-1) if mask.dim() == 2 else mask.permute(1, 2, 0)
            m = m.unsqueeze(-1)
            scores = scores.masked_fill(~m, torch.finfo(scores.dtype).min)
        attn = self.softmax(scores)
        if mask is not None:
            attn = attn.masked_fill(~m, 0.0)
        x = torch.einsum("ijbh,jbhd->bihd", attn, v)
        return self.W_o(x.flatten(2))


def self_attention(mha, x):
    return mha(x, x, x)


def cross_attention(mha, target, memory):
    return mha(target, memory, memory)
