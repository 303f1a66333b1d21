import torch
import torch.nn as nn


def project(x, w, num_heads):
    if w.size(1) % num_heads != 0:
        raise ValueError("num_heads must divide the columns of w, got %d and %d" % (num_heads, w.size(1)))
    d_k = w.size(1) // num_heads
    result = torch.empty(x.size(0), num_heads, x.size(1), d_k, dtype=x.dtype, device=x.device)
    for i in range(num_heads):
        result[:, i, :, :] = torch.matmul(x, w[:, d_k * i : d_k * (i + 1)])
    return result


def attend(q, k, v, mask=None):
    B, h, Tq, d_k = q.shape
    Tk, d_v = v.shape[2:]
    heads = torch.zeros(B, h, Tq, d_v, dtype=q.dtype, device=q.device)
    weights = q.new_zeros(B, h, Tq, Tk)
    if mask is not None:
        mask = torch.broadcast_to(mask, (B, h, Tq, Tk))
    for i in range(h):
        s = torch.matmul(q[:, i], k[:, i].transpose(-1, -2)) / (d_k ** 0.5)
        if mask is not None:
            m = mask[:, i]
            s = torch.where(m, s, torch.full_like(s, torch.finfo(s.dtype).min))
            weights[:, i] = torch.softmax(s, dim=-1) * m.to(s.dtype)
        else:
            weights[:, i] = torch.softmax(s, dim=-1)
        heads[:, i] = torch.matmul(weights[:, i].clone(), v[:, i])
    return heads, weights


def concat(heads):
    B, h, T, d_v = heads.size()
    out = torch.empty((B, T, h * d_v), dtype=heads.dtype, device=heads.device)
    for i in range(h):
        out[:, :, i * d_v : (i + 1) * d_v] = heads[:, i]
    return out


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super(MultiHeadAttention, self).__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model must be divisible by num_heads")
        self.num_heads = num_heads
        self.d_model = d_model
        self.d_k = d_model // num_heads
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, query, key, value, mask=None):
        q, k, v = self.W_q(query), self.W_k(key), self.W_v(value)
        out = query.new_empty(query.size(0), query.size(1), self.d_model)
        if mask is not None:
            mask = mask.unsqueeze(-3)  # (B, 1, Tq, Tk) or (1, Tq, Tk)
        for i in range(self.num_heads):
            s = slice(i * self.d_k, (i + 1) * self.d_k)
            head, _ = attend(q[:, None, :, s], k[:, None, :, s], v[:, None, :, s], mask)
            out[:, :, s] = head[:, 0]
        return self.W_o(out)


def self_attention(mha, x):
    return mha.forward(x, x, x)


def cross_attention(mha, target, memory):
    return mha.forward(target, memory, memory)
