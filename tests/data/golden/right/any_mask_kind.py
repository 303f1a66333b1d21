"""Takes bool masks, 0/1 masks and additive float masks; the task only asks for the first."""
import torch
from torch import nn


def as_bool(mask):
    if mask.dtype == torch.bool:
        return mask
    if mask.is_floating_point():
        return mask > torch.finfo(mask.dtype).min / 4
    return mask != 0


def attend(q, k, v, mask=None):
    s = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    if mask is None:
        w = s.softmax(-1)
    else:
        keep = as_bool(mask)
        w = s.masked_fill(~keep, torch.finfo(s.dtype).min).softmax(-1) * keep
    return w @ v, w


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"{d_model}/{num_heads}")
        self.num_heads = num_heads
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, query, key, value, mask=None):
        q, k, v = (f(t).unflatten(2, (self.num_heads, -1)).transpose(1, 2)
                   for f, t in zip((self.W_q, self.W_k, self.W_v), (query, key, value)))
        if mask is not None:
            # (Tq, Tk), (B, Tq, Tk), (B, 1, Tq, Tk) and (B, h, Tq, Tk)
            mask = mask.reshape((1,) * (2 - min(mask.dim(), 2)) + tuple(mask.shape))
            if mask.dim() == 3:
                mask = mask[:, None]
        heads, _ = attend(q, k, v, mask)
        return self.W_o(heads.transpose(1, 2).flatten(2))


def self_attention(mha, x):
    return mha(x, x, x)


def cross_attention(mha, target, memory):
    return mha(target, memory, memory)
