import torch
import torch.nn as nn
from torch.nn import functional as F


class Head(nn.Module):
    """ one head of self-attention; it owns a range of columns and no weights """

    def __init__(self, first, head_size):
        super().__init__()
        self.columns = slice(first, first + head_size)
        self.head_size = head_size

    def forward(self, q, k, v, mask=None):
        q, k, v = q[..., self.columns], k[..., self.columns], v[..., self.columns]
        # compute attention scores ("affinities")
        wei = q @ k.transpose(-2, -1) * self.head_size ** -0.5  # (B, T, C) @ (B, C, T) -> (B, T, T)
        if mask is not None:
            wei = wei.masked_fill(mask == 0, torch.finfo(wei.dtype).min)  # (B, T, T)
        wei = F.softmax(wei, dim=-1)  # (B, T, T)
        if mask is not None:
            wei = wei.masked_fill(mask == 0, 0.0)
        return wei @ v


class MultiHeadAttention(nn.Module):
    """ multiple heads of self-attention in parallel """

    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("n_embd % n_head")
        head_size = d_model // num_heads
        self.heads = nn.ModuleList([Head(i * head_size, head_size) for i in range(num_heads)])
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x, context=None, mask=None):
        context = x if context is None else context
        q, k, v = self.W_q(x), self.W_k(context), self.W_v(context)
        out = torch.cat([h(q, k, v, mask) for h in self.heads], dim=-1)
        return self.W_o(out)
