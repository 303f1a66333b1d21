"""The mask is a bias that baddbmm adds while it multiplies; the scale is its alpha."""
import torch
from torch import nn


def additive(mask, like):
    bias = torch.zeros(mask.shape, dtype=like.dtype, device=like.device)
    return bias.masked_fill(~mask, float("-inf"))


def attend(q, k, v, mask=None):
    B, h, Tq, d = q.shape
    Tk = k.shape[-2]
    scale = d ** -0.5
    q3, k3, v3 = q.flatten(0, 1), k.flatten(0, 1), v.flatten(0, 1)
    if mask is None:
        s = torch.bmm(q3, k3.transpose(-2, -1)) * scale
        keep = None
    else:
        keep = mask.any(-1, keepdim=True)
        bias = additive(mask | ~keep, q).expand(B, h, Tq, Tk).reshape(B * h, Tq, Tk)
        s = torch.baddbmm(bias, q3, k3.transpose(-2, -1), beta=1, alpha=scale)
    w = s.softmax(-1).view(B, h, Tq, Tk)
    if keep is not None:
        w = w * keep
    return torch.bmm(w.flatten(0, 1), v3).view(B, h, Tq, -1), w


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model % num_heads != 0")
        self.num_heads = num_heads
        self.d_model = d_model
        self.W_qkv = nn.Linear(d_model, 3 * d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def heads(self, t):
        return t.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

    def forward(self, query, key=None, value=None, mask=None):
        if key is None and value is None:
            q, k, v = self.W_qkv(query).chunk(3, dim=-1)
        else:
            wq, wk, wv = self.W_qkv.weight.split(self.d_model)
            q, k, v = query @ wq.T, key @ wk.T, value @ wv.T
        mask = mask.unsqueeze(-3) if mask is not None else None
        mixed, _ = attend(self.heads(q), self.heads(k), self.heads(v), mask)
        return self.W_o(mixed.transpose(1, 2).flatten(-2))


def self_attention(mha, x):
    return mha(x, x, x)


def cross_attention(mha, target, memory):
    return mha(target, memory, memory)
