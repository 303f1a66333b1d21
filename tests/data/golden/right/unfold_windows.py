import torch
from torch import nn


def project(x, w, num_heads):
    n = w.size(1)
    if n % num_heads:
        raise ValueError("%d columns, %d heads" % (n, num_heads))
    d_k = n // num_heads
    return torch.matmul(x, w).unfold(2, d_k, d_k).transpose(1, 2)


def attend(q, k, v, mask=None):
    s = torch.matmul(q, k.transpose(-1, -2)).true_divide(q.size(-1) ** 0.5)
    if mask is not None:
        s = torch.masked_fill(s, torch.bitwise_not(mask), torch.finfo(s.dtype).min)
    w = nn.functional.softmax(s, dim=-1)
    if mask is not None:
        w = torch.masked_fill(w, torch.bitwise_not(mask), 0)
    return torch.matmul(w, v), w


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("%d wide, %d heads" % (d_model, num_heads))
        self.d_k = d_model // num_heads
        self.W_qkv = nn.Parameter(torch.empty(d_model, 3 * d_model))
        self.W_o = nn.Parameter(torch.empty(d_model, d_model))
        nn.init.xavier_normal_(self.W_qkv)
        nn.init.xavier_normal_(self.W_o)

    def forward(self, query, key=None, value=None, mask=None):
        if key is None:
            key = query
        if value is None:
            value = key
        d = self.W_o.size(0)
        wq, wk, wv = self.W_qkv.unfold(1, d, d).unbind(1)
        q, k, v = (torch.matmul(t, w).unfold(-1, self.d_k, self.d_k).transpose(1, 2)
                   for t, w in ((query, wq), (key, wk), (value, wv)))
        z, _ = attend(q, k, v, mask.unsqueeze(-3) if mask is not None else None)
        return torch.matmul(z.transpose(1, 2).flatten(2), self.W_o)


def self_attention(mha, x):
    return mha(x, x, x)


def cross_attention(mha, target, memory):
    return mha(target, memory, memory)
