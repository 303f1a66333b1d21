import torch
import torch.nn as nn


def attend(q, k, v, mask=None):
    # (B, h, T, d) -> (T, B*h, d), the layout of the old sequence toolkits
    B, h, Tq, d = q.shape
    Tk = k.shape[2]
    flat = lambda t: t.permute(2, 0, 1, 3).reshape(t.shape[2], B * h, t.shape[3])
    q, k, v = flat(q), flat(k), flat(v)
    scores = torch.einsum("ind,jnd->nij", q, k) / d ** 0.5
    if mask is not None:
        mask = mask.expand(B, h, Tq, Tk).reshape(B * h, Tq, Tk)
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    w = scores.softmax(-1)
    if mask is not None:
        w = w * mask
    out = torch.einsum("nij,jnd->ind", w, v)
    return out.reshape(Tq, B, h, -1).permute(1, 2, 0, 3), w.reshape(B, h, Tq, Tk)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("embed_dim must be divisible by num_heads")
        self.num_heads = num_heads
        self.head_dim = d_model // num_heads
        self.W_qkv = nn.Linear(d_model, 3 * d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x):
        x = x.transpose(0, 1)                                   # (T, B, D)
        T, B, D = x.shape
        q, k, v = self.W_qkv(x).chunk(3, dim=-1)
        q = q.contiguous().view(T, B * self.num_heads, self.head_dim).transpose(0, 1)
        k = k.contiguous().view(T, B * self.num_heads, self.head_dim).transpose(0, 1)
        v = v.contiguous().view(T, B * self.num_heads, self.head_dim).transpose(0, 1)
        w = torch.bmm(q * self.head_dim ** -0.5, k.transpose(1, 2)).softmax(-1)
        out = torch.bmm(w, v).transpose(0, 1).contiguous().view(T, B, D)
        return self.W_o(out).transpose(0, 1)
