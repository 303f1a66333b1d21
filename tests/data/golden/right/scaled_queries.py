from __future__ import annotations

import torch
import torch.nn as nn


def attend(q, k, v, mask=None):
    q = q * (q.shape[-1] ** -0.5)          # a new tensor, q itself stays as it is
    attn = q @ k.transpose(-2, -1)
    if mask is not None:
        attn = attn.masked_fill(~mask, torch.finfo(attn.dtype).min)
    attn = attn.softmax(dim=-1)
    if mask is not None:
        attn = attn.masked_fill(~mask, 0.0)
    x = attn @ v
    return x, attn


class MultiHeadAttention(nn.Module):
    """written like a vision transformer's attention block"""

    def __init__(self, d_model, num_heads, attn_drop: float = 0.0, proj_drop: float = 0.0, qk_norm: bool = False,
                 norm_layer: type[nn.Module] | None = None) -> None:
        super().__init__()
        assert d_model % num_heads == 0, "dim should be divisible by num_heads"
        self.num_heads = num_heads
        self.head_dim = d_model // num_heads
        self.scale = self.head_dim ** -0.5
        self.W_qkv = nn.Linear(d_model, d_model * 3, bias=False)
        self.q_norm = norm_layer(self.head_dim) if qk_norm else nn.Identity()
        self.k_norm = norm_layer(self.head_dim) if qk_norm else nn.Identity()
        self.attn_drop = nn.Dropout(attn_drop)
        self.W_o = nn.Linear(d_model, d_model, bias=False)
        self.proj_drop = nn.Dropout(proj_drop)

    def forward(self, x):
        B, N, C = x.shape
        qkv = self.W_qkv(x).reshape(B, N, 3, self.num_heads, self.head_dim).permute(2, 0, 3, 1, 4)
        q, k, v = qkv.unbind(0)
        q, k = self.q_norm(q), self.k_norm(k)
        q = q * self.scale
        attn = q @ k.transpose(-2, -1)
        attn = attn.softmax(dim=-1)
        attn = self.attn_drop(attn)
        x = attn @ v
        x = x.transpose(1, 2).reshape(B, N, C)
        x = self.W_o(x)
        return self.proj_drop(x)
