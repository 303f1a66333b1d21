import math
import torch
from torch import nn


def attend(q, k, v, mask=None, chunk=2):
    B, h, Tq, d_k = q.shape
    if mask is not None:
        mask = mask.expand(B, h, Tq, k.shape[2])
    outs, ws = [], []
    for i in range(0, Tq, chunk):
        s = q[:, :, i:i + chunk] @ k.transpose(2, 3) / math.sqrt(d_k)
        if mask is None:
            w = s.softmax(-1)
        else:
            m = mask[:, :, i:i + chunk]
            w = s.masked_fill(~m, torch.finfo(s.dtype).min).softmax(-1).masked_fill(~m, 0)
        outs.append(w @ v)
        ws.append(w)
    return torch.cat(outs, 2), torch.cat(ws, 2)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, *, query_chunk=4):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("d_model % num_heads != 0")
        self.num_heads = num_heads
        self.query_chunk = query_chunk
        self.W_qkv = nn.Parameter(torch.empty(d_model, 3 * d_model).normal_(std=0.02))
        self.W_o = nn.Parameter(torch.empty(d_model, d_model).normal_(std=0.02))

    def forward(self, query, key, value, mask=None):
        wq, wk, wv = self.W_qkv.chunk(3, dim=1)
        k = (key @ wk).unflatten(2, (self.num_heads, -1)).transpose(1, 2)
        v = (value @ wv).unflatten(2, (self.num_heads, -1)).transpose(1, 2)
        pieces = []
        done = 0
        for part in query.split(self.query_chunk, dim=1):
            q = (part @ wq).unflatten(2, (self.num_heads, -1)).transpose(1, 2)
            m = None
            if mask is not None:
                m = mask[..., done:done + part.shape[1], :].unsqueeze(-3)
            pieces.append(attend(q, k, v, m)[0].transpose(1, 2).flatten(2))
            done += part.shape[1]
        return torch.cat(pieces, 1) @ self.W_o


def self_attention(mha, x):
    return mha(x, x, x)


def cross_attention(mha, target, memory):
    return mha(target, memory, memory)
