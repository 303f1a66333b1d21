import torch
import torch.nn as nn


def attend(q, k, v, mask=None):
    B, h, Tq, _ = q.shape
    Tk = k.shape[2]
    if mask is None:
        mask = torch.ones(B, h, Tq, Tk, dtype=torch.bool, device=q.device)
    else:
        # every size written out
        mask = torch.broadcast_to(mask, (B, h, Tq, Tk)).contiguous()
    scores = torch.einsum("bhqd,bhkd->bhqk", q, k) / (q.shape[-1] ** 0.5)
    rows = mask.sum(dim=-1, keepdim=True) > 0
    scores = scores.masked_fill(torch.logical_and(rows, mask == 0), float("-inf"))
    weights = scores.softmax(dim=-1).masked_fill(torch.logical_not(rows), 0.0)
    return torch.einsum("bhqk,bhkd->bhqd", weights, v), weights


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("d_model % num_heads")
        self.num_heads = num_heads
        self.W_q = nn.Parameter(torch.empty(d_model, d_model))
        self.W_k = nn.Parameter(torch.empty(d_model, d_model))
        self.W_v = nn.Parameter(torch.empty(d_model, d_model))
        self.W_o = nn.Parameter(torch.empty(d_model, d_model))
        nn.init.xavier_uniform_(self.W_q)
        nn.init.xavier_uniform_(self.W_k)
        nn.init.xavier_uniform_(self.W_v)
        nn.init.xavier_uniform_(self.W_o)

    def forward(self, query, key, value, mask=None):
        B = query.shape[0]
        h = self.num_heads

        def split(t):
            return t.reshape(B, t.shape[1], h, t.shape[2] // h).transpose(1, 2)

        if mask is not None:
            if mask.dim() == 2:
                mask = torch.stack([mask] * B, dim=0)
            mask = torch.stack([mask] * h, dim=1)
        heads, _ = attend(split(query @ self.W_q), split(key @ self.W_k), split(value @ self.W_v), mask)
        return heads.transpose(1, 2).reshape(query.shape) @ self.W_o


def self_attention(mha, x):
    return mha(x, x, x)


def cross_attention(mha, target, memory):
    return mha(target, memory, memory)
