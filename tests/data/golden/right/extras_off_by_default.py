import logging

import torch
from torch import nn

log = logging.getLogger(__name__)


def attend(q, k, v, mask=None, *, dropout_p=0.0, is_causal=False, scale=None, training=False):
    scale = q.size(-1) ** -0.5 if scale is None else scale
    if is_causal:
        tri = torch.ones(q.size(-2), k.size(-2), dtype=torch.bool, device=q.device).tril()
        mask = tri if mask is None else mask & tri
    s = q @ k.transpose(-2, -1) * scale
    if mask is not None:
        s = s.masked_fill(~mask, torch.finfo(s.dtype).min)
    w = s.softmax(-1)
    if mask is not None:
        w = w.masked_fill(~mask, 0)
    w = torch.dropout(w, dropout_p, training)
    return w @ v, w


def rotate_half(x):
    a, b = x.chunk(2, -1)
    return torch.cat([-b, a], -1)


class KVCache:
    def __init__(self):
        self.k = self.v = None

    def update(self, k, v):
        self.k = k if self.k is None else torch.cat([self.k, k], 2)
        self.v = v if self.v is None else torch.cat([self.v, v], 2)
        return self.k, self.v


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, *, head_dim=None, dropout=0.0, pos_embeddings=None, kv_cache=None,
                 q_norm=None, is_causal=False):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError(f"embed_dim ({d_model}) must be divisible by num_heads ({num_heads})")
        if not 0 <= dropout <= 1:
            raise ValueError(f"attn_dropout ({dropout}) must be between 0.0 and 1.0")
        self.num_heads = num_heads
        self.head_dim = head_dim or d_model // num_heads
        inner = self.num_heads * self.head_dim
        self.W_q = nn.Linear(d_model, inner, bias=False)
        self.W_k = nn.Linear(d_model, inner, bias=False)
        self.W_v = nn.Linear(d_model, inner, bias=False)
        self.W_o = nn.Linear(inner, d_model, bias=False)
        self.dropout, self.is_causal = dropout, is_causal
        self.pos_embeddings, self.kv_cache, self.q_norm = pos_embeddings, kv_cache, q_norm

    def forward(self, x, *, return_weights=False, cache=None):
        q, k, v = (w(x).unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)
                   for w in (self.W_q, self.W_k, self.W_v))
        if self.pos_embeddings is not None:
            q, k = self.pos_embeddings(q), self.pos_embeddings(k)
        if self.q_norm is not None:
            q = self.q_norm(q)
        cache = cache or self.kv_cache
        if cache is not None:
            k, v = cache.update(k, v)
        heads, weights = attend(q, k, v, is_causal=self.is_causal, dropout_p=self.dropout, training=self.training)
        y = self.W_o(heads.transpose(1, 2).flatten(2))
        log.debug("attention of %s tokens", x.shape[1])
        return (y, weights) if return_weights else y
