import math
import torch
import torch.nn as nn


def attend(q, k, v, mask=None):
    B, h, Tq, d_k = q.size()
    Tk, d_v = v.size(2), v.size(3)
    q = q.reshape(B * h, Tq, d_k)
    k = k.reshape(B * h, Tk, d_k)
    v = v.reshape(B * h, Tk, d_v)
    scores = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(d_k)
    if mask is not None:
        mask = mask.expand(B, h, Tq, Tk).reshape(B * h, Tq, Tk)
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, dim=2)
    if mask is not None:
        weights = weights * mask.type_as(weights)
    heads = torch.bmm(weights, v)
    return heads.view(B, h, Tq, d_v), weights.view(B, h, Tq, Tk)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("embed_dim must be divisible by num_heads")
        self.embed_dim = d_model
        self.num_heads = num_heads
        self.head_dim = d_model // num_heads
        self.scaling = self.head_dim ** -0.5
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)
        self.reset_parameters()

    def reset_parameters(self):
        for m in (self.W_q, self.W_k, self.W_v):
            nn.init.xavier_uniform_(m.weight, gain=1 / math.sqrt(2))
        nn.init.xavier_uniform_(self.W_o.weight)

    def shape(self, t):
        bsz, n, _ = t.size()
        t = t.view(bsz, n, self.num_heads, self.head_dim).transpose(1, 2)
        return t.contiguous().view(bsz * self.num_heads, n, self.head_dim)

    def forward(self, query, key, value, mask=None):
        bsz, tgt_len, _ = query.size()
        src_len = key.size(1)
        q = self.shape(self.W_q(query) * self.scaling)
        k = self.shape(self.W_k(key))
        v = self.shape(self.W_v(value))
        attn_weights = torch.bmm(q, k.transpose(1, 2))
        if mask is not None:
            if mask.dim() == 2:
                mask = mask.unsqueeze(0).expand(bsz, tgt_len, src_len)
            keep = mask.repeat_interleave(self.num_heads, dim=0)
            attn_weights = attn_weights.masked_fill(~keep, torch.finfo(attn_weights.dtype).min)
            attn_probs = attn_weights.softmax(-1).masked_fill(~keep, 0)
        else:
            attn_probs = attn_weights.softmax(-1)
        attn = torch.bmm(attn_probs, v)
        assert list(attn.size()) == [bsz * self.num_heads, tgt_len, self.head_dim]
        attn = attn.view(bsz, self.num_heads, tgt_len, self.head_dim).transpose(1, 2)
        return self.W_o(attn.reshape(bsz, tgt_len, self.embed_dim))


def self_attention(mha, x):
    return mha(x, x, x)


def cross_attention(mha, target, memory):
    return mha(target, memory, memory)
