import math
import torch
import torch.nn as nn


def clones(make, n):
    return [make() for _ in range(n)]


def attention(query, key, value, mask=None, dropout=None):
    "Compute scaled dot product attention"
    d_k = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d_k)
    if mask is not None:
        # -1e9 is more than a half can hold
        fill = max(-1e9, torch.finfo(scores.dtype).min)
        scores = scores.masked_fill(mask == 0, fill)
    p_attn = scores.softmax(dim=-1)
    if mask is not None:
        p_attn = p_attn.masked_fill(mask == 0, 0)
    if dropout is not None:
        p_attn = dropout(p_attn)
    return torch.matmul(p_attn, value), p_attn


def attend(q, k, v, mask=None):
    return attention(q, k, v, mask=mask)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        "Take in model size and number of heads."
        super().__init__()
        assert d_model % num_heads == 0
        # We assume d_v always equals d_k
        self.d_k = d_model // num_heads
        self.h = num_heads
        self.W_q, self.W_k, self.W_v, self.W_o = clones(lambda: nn.Linear(d_model, d_model, bias=False), 4)
        self.attn = None

    def forward(self, query, key, value, mask=None):
        if mask is not None:
            # Same mask applied to all h heads.
            mask = mask.unsqueeze(0) if mask.dim() == 2 else mask
            mask = mask.unsqueeze(1)
        nbatches = query.size(0)
        # 1) Do all the linear projections in batch from d_model => h x d_k
        query, key, value = [
            lin(x).view(nbatches, -1, self.h, self.d_k).transpose(1, 2)
            for lin, x in zip((self.W_q, self.W_k, self.W_v), (query, key, value))
        ]
        # 2) Apply attention on all the projected vectors in batch.
        x, attn = attention(query, key, value, mask=mask)
        self.attn = attn.detach()
        # 3) "Concat" using a view and apply a final linear.
        x = x.transpose(1, 2).contiguous().view(nbatches, -1, self.h * self.d_k)
        del query
        del key
        del value
        return self.W_o(x)


def self_attention(mha, x):
    return mha(x, x, x)


def cross_attention(mha, target, memory):
    return mha(target, memory, memory)
