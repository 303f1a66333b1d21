import torch
import torch.nn.functional as F
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model must be divisible by num_heads")
        self.h = num_heads
        for name in ("W_q", "W_k", "W_v", "W_o"):
            setattr(self, name, nn.Parameter(torch.randn(d_model, d_model) * d_model**-0.5))

    def forward(self, x):
        q, k, v = (F.linear(x, w).unflatten(-1, (self.h, -1)).transpose(1, 2) for w in (self.W_q, self.W_k, self.W_v))
        a = torch.softmax(q @ k.mT / q.shape[-1] ** 0.5, dim=-1)
        return F.linear((a @ v).transpose(1, 2).flatten(2), self.W_o)
