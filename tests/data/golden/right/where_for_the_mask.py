import torch
from torch import nn, where


def attend(q, k, v, mask=None):
    s = q @ k.mT / q.shape[-1] ** 0.5
    if mask is None:
        w = s.softmax(-1)
    else:
        w = where(mask, s, torch.finfo(s.dtype).min).softmax(-1)
        w = where(mask, w, 0)
    return w @ v, w


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if not d_model % num_heads == 0:
            raise ValueError("d_model must split evenly")
        self.num_heads = num_heads
        self.W_qkv = nn.Parameter(torch.empty(d_model, 3 * d_model))
        self.W_o = nn.Parameter(torch.empty(d_model, d_model))
        nn.init.xavier_uniform_(self.W_qkv)
        nn.init.xavier_uniform_(self.W_o)

    def forward(self, query, key, value, mask=None):
        d = query.shape[-1]
        Wq, Wk, Wv = self.W_qkv.view(d, 3, d).unbind(1)
        shape = lambda t: t.reshape(t.shape[0], t.shape[1], self.num_heads, d // self.num_heads).transpose(1, 2)  # noqa: E731
        q, k, v = shape(query @ Wq), shape(key @ Wk), shape(value @ Wv)
        if mask is not None:
            mask = where(torch.ones_like(mask), mask, False).unsqueeze(-3)
        heads, _ = attend(q, k, v, mask)
        return heads.transpose(1, 2).reshape(query.shape) @ self.W_o


def self_attention(mha, x):
    return mha(x, x, x)


def cross_attention(mha, target, memory):
    return mha(target, memory, memory)
