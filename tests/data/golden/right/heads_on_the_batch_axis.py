# after a well known TF implementation: split on features, concat on batch
import torch
import torch.nn as nn


def to_batch(t, h):
    return torch.cat(torch.chunk(t, h, dim=2), dim=0)            # (h*B, T, d_k)


def from_batch(t, h):
    return torch.cat(torch.chunk(t, h, dim=0), dim=2)            # (B, T, h*d_k)


def scaled_dot(Q, K, V, keep=None):
    s = torch.matmul(Q, K.permute(0, 2, 1)) / (K.size(-1) ** 0.5)
    if keep is not None:
        s = torch.where(keep, s, torch.full_like(s, torch.finfo(s.dtype).min))
    a = torch.softmax(s, dim=-1)
    if keep is not None:
        a = a * keep
    return torch.matmul(a, V), a


def attend(q, k, v, mask=None):
    B, h, Tq, _ = q.shape
    Tk = k.shape[2]
    Q, K, V = (torch.cat([t[:, i] for i in range(h)], dim=0) for t in (q, k, v))
    keep = None
    if mask is not None:
        full = mask.expand(B, h, Tq, Tk)
        keep = torch.cat([full[:, i] for i in range(h)], dim=0)
    o, a = scaled_dot(Q, K, V, keep)
    return torch.stack(o.chunk(h, dim=0), dim=1), torch.stack(a.chunk(h, dim=0), dim=1)


def concat(heads):
    B, h, T, d = heads.shape
    return from_batch(heads.transpose(0, 1).reshape(h * B, T, d), h)


def project(x, w, num_heads):
    if w.shape[1] % num_heads != 0:
        raise ValueError("%d %% %d != 0" % (w.shape[1], num_heads))
    B = x.shape[0]
    stacked = to_batch(x @ w, num_heads)
    return stacked.reshape(num_heads, B, *stacked.shape[1:]).transpose(0, 1)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model / num_heads")
        self.h = num_heads
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, query, key, value, mask=None):
        Q = to_batch(self.W_q(query), self.h)
        K = to_batch(self.W_k(key), self.h)
        V = to_batch(self.W_v(value), self.h)
        if mask is not None:
            mask = mask.expand(query.shape[0], -1, -1).tile(self.h, 1, 1)
        o, _ = scaled_dot(Q, K, V, mask)
        return self.W_o(from_batch(o, self.h))


def self_attention(mha, x):
    return mha(x, x, x)


def cross_attention(mha, target, memory):
    return mha(target, memory, memory)
