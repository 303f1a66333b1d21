import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("d_model must be divisible by num_heads")
        self.h, self.dk = num_heads, d_model // num_heads
        self.to_q = nn.Linear(d_model, d_model, bias=False)
        self.to_kv = nn.Linear(d_model, 2 * d_model, bias=False)
        self.to_out = nn.Sequential(nn.Linear(d_model, d_model, bias=False), nn.Dropout(0.0))

    def split(self, t):
        return t.unflatten(-1, (self.h, self.dk)).transpose(1, 2)

    def forward(self, query, key, value, attn_mask=None):
        w_k, w_v = self.to_kv.weight.chunk(2)
        q, k, v = self.split(self.to_q(query)), self.split(key @ w_k.T), self.split(value @ w_v.T)
        s = q @ k.transpose(-2, -1) / self.dk ** 0.5
        if attn_mask is not None:
            keep = attn_mask if attn_mask.dim() == 2 else attn_mask.unsqueeze(1)
            s = s.masked_fill(~keep, -torch.inf)
            some = keep.any(-1, keepdim=True)
            w = torch.where(some, torch.where(some, s, 0.0).softmax(-1), 0.0)
        else:
            w = s.softmax(-1)
        return self.to_out((w @ v).transpose(1, 2).flatten(2))


def self_attention(mha, x):
    return mha(x, x, x)


def cross_attention(mha, target, memory):
    return mha(target, memory, memory)
