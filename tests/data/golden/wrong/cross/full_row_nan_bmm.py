import torch
import torch.nn.functional as F
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"{num_heads} heads do not divide {d_model}")
        self.num_heads = num_heads
        self.head_dim = d_model // num_heads
        self.W_qkv = nn.Linear(d_model, 3 * d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def _merge(self, t):
        b, n, _ = t.shape
        t = t.reshape(b, n, self.num_heads, self.head_dim).transpose(1, 2)
        return t.reshape(b * self.num_heads, n, self.head_dim)

    def forward(self, query, key, value, mask=None):
        bsz, tgt, dim = query.shape
        src = key.shape[1]
        w_q, w_k, w_v = self.W_qkv.weight.chunk(3)
        q = self._merge(F.linear(query, w_q)) * self.head_dim**-0.5
        k = self._merge(F.linear(key, w_k))
        v = self._merge(F.linear(value, w_v))
        logits = torch.bmm(q, k.transpose(1, 2))
        if mask is not None:
            full = mask.expand(bsz, tgt, src).repeat_interleave(self.num_heads, dim=0)
            logits = logits.masked_fill(~full, float("-inf"))
        probs = F.softmax(logits, dim=-1)
        out = torch.bmm(probs, v).reshape(bsz, self.num_heads, tgt, self.head_dim)
        return self.W_o(out.transpose(1, 2).reshape(bsz, tgt, dim))


def self_attention(mha, x):
    return mha(x, x, x)


def cross_attention(mha, target, memory):
    return mha(target, memory, memory)
