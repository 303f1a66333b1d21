import torch
import torch.nn as nn
import torch.nn.functional as F


def attend(q, k, v, mask=None):
    """1/sqrt(d_k) goes into a diagonal matrix on the query's side."""
    d = q.shape[-1]
    scaler = torch.eye(d, dtype=q.dtype, device=q.device) * d ** -0.5
    s = (q @ scaler) @ k.transpose(-2, -1)
    if mask is not None:
        s = s.masked_fill(~mask, torch.finfo(s.dtype).min)
        w = s.softmax(-1) * mask.to(s.dtype)
    else:
        w = s.softmax(-1)
    return w @ v, w


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model % num_heads")
        self.num_heads = num_heads
        self.factor = (d_model // num_heads) ** -0.5
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, query, key, value, mask=None):
        q = F.linear(query, self.W_q.weight * self.factor)
        k = self.W_k(key)
        v = self.W_v(value)
        q, k, v = (t.reshape(t.size(0), t.size(1), self.num_heads, -1).transpose(1, 2) for t in (q, k, v))
        s = q @ k.transpose(-2, -1)
        if mask is not None:
            mask = mask.unsqueeze(-3)
            s = s.masked_fill(~mask, torch.finfo(s.dtype).min)
        w = s.softmax(-1)
        if mask is not None:
            w = w.masked_fill(~mask, 0.0)
        return self.W_o((w @ v).transpose(1, 2).flatten(2))


def self_attention(mha, x):
    return mha(x, x, x)


def cross_attention(mha, target, memory):
    return mha(target, memory, memory)
