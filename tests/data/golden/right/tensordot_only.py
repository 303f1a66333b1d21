import torch
import torch.nn as nn


def project(x, w, num_heads):
    if w.shape[1] % num_heads != 0:
        raise ValueError(f"Cannot split {w.shape[1]} by {num_heads}")
    w3 = w.reshape(w.shape[0], num_heads, w.shape[1] // num_heads)
    return torch.tensordot(x, w3, dims=([2], [0])).permute(0, 2, 1, 3)


def attend(q, k, v, mask=None):
    """tensordot has no batch axes, so one product for each (sample, head)"""
    B, h, Tq, d_k = q.shape
    rows = []
    for b in range(B):
        rows.append(torch.stack([torch.tensordot(q[b, i], k[b, i], dims=([1], [1])) for i in range(h)]))
    s = torch.stack(rows) / d_k ** 0.5
    if mask is not None:
        s = s.masked_fill(mask.logical_not(), torch.finfo(s.dtype).min)
    w = s.softmax(3)
    if mask is not None:
        w = w.masked_fill(mask.logical_not(), 0)
    heads = torch.stack([
        torch.stack([torch.tensordot(w[b, i], v[b, i], dims=1) for i in range(h)]) for b in range(B)
    ])
    return heads, w


def output(concatenated, w_o):
    if concatenated.shape[-1] != w_o.shape[0]:
        raise ValueError(f"Expected {w_o.shape[0]} features, got {concatenated.shape[-1]}")
    return torch.tensordot(concatenated, w_o, dims=1)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError(f"Cannot split {d_model} by {num_heads}")
        self.num_heads = num_heads
        self.W_q = nn.Parameter(torch.empty(d_model, d_model))
        self.W_k = nn.Parameter(torch.empty(d_model, d_model))
        self.W_v = nn.Parameter(torch.empty(d_model, d_model))
        self.W_o = nn.Parameter(torch.empty(d_model, d_model))
        self.apply(self._init)

    @staticmethod
    def _init(m):
        for p in m.parameters(recurse=False):
            nn.init.xavier_uniform_(p)

    def forward(self, query, key, value, mask=None):
        d = query.shape[-1]
        q = project(query, self.W_q, self.num_heads)
        k = project(key, self.W_k, self.num_heads)
        v = project(value, self.W_v, self.num_heads)
        if mask is not None:
            mask = mask.unsqueeze(-3)
        heads, _ = attend(q, k, v, mask)                                    # (B, h, T, d_k)
        return torch.tensordot(heads, self.W_o.reshape(self.num_heads, -1, d), dims=([1, 3], [0, 1]))


def self_attention(mha, x):
    return mha(x, x, x)


def cross_attention(mha, target, memory):
    return mha(target, memory, memory)
