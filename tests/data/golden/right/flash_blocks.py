"""Online softmax over blocks of keys, like flash attention does it."""
import torch
from torch import nn

BLOCK = 3


def flash(q, k, v, mask=None):
    scale = q.shape[-1] ** -0.5
    lowest = torch.finfo(q.dtype).min
    stat = (*q.shape[:-1], 1)
    m = torch.full(stat, lowest, dtype=q.dtype, device=q.device)
    l = torch.zeros(stat, dtype=q.dtype, device=q.device)  # noqa: E741
    acc = torch.zeros((*q.shape[:-1], v.shape[-1]), dtype=q.dtype, device=q.device)
    scores = []
    for start in range(0, k.shape[-2], BLOCK):
        block = slice(start, start + BLOCK)
        s = (q * scale) @ k[..., block, :].mT
        if mask is not None:
            keep = mask[..., block]
            s = s.masked_fill(~keep, lowest)
        new_m = torch.maximum(m, s.detach().amax(-1, keepdim=True))
        p = torch.exp(s - new_m)
        if mask is not None:
            p = p * keep
        correction = torch.exp(m - new_m)
        l = l * correction + p.sum(-1, keepdim=True)  # noqa: E741
        acc = acc * correction + p @ v[..., block, :]
        m = new_m
        scores.append(s)
    l = torch.where(l == 0, torch.ones_like(l), l)  # noqa: E741
    w = torch.exp(torch.cat(scores, -1) - m) / l
    if mask is not None:
        w = w * mask
    return acc / l, w


def attend(q, k, v, mask=None):
    if mask is not None:
        mask = mask.expand(*q.shape[:-1], k.shape[-2])
    return flash(q, k, v, mask)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("d_model % num_heads != 0")
        self.num_heads = num_heads
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, query, key=None, value=None, mask=None):
        key = query if key is None else key
        value = key if value is None else value
        q, k, v = (f(t).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
                   for f, t in ((self.W_q, query), (self.W_k, key), (self.W_v, value)))
        if mask is not None:
            mask = mask.unsqueeze(-3).expand(q.shape[0], q.shape[1], q.shape[2], k.shape[2])
        return self.W_o(flash(q, k, v, mask)[0].transpose(1, 2).flatten(2))


def self_attention(mha, x):
    return mha(x, x, x)


def cross_attention(mha, target, memory):
    return mha(target, memory, memory)
