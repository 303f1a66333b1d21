import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("heads must divide d_model")
        self.heads = num_heads
        shape = (d_model, d_model)
        self.W_q = nn.Parameter(torch.randn(shape) / d_model**0.5)
        self.W_k = nn.Parameter(torch.randn(shape) / d_model**0.5)
        self.W_v = nn.Parameter(torch.randn(shape) / d_model**0.5)
        self.W_o = nn.Parameter(torch.randn(shape) / d_model**0.5)

    def forward(self, x):
        d = x.shape[-1]
        q, k, v = ((x @ w).unflatten(-1, (self.heads, -1)) for w in (self.W_q, self.W_k, self.W_v))
        scores = torch.einsum("bqhd,bkhd->bhqk", q, k) / d**0.5
        out = torch.einsum("bhqk,bkhd->bqhd", scores.softmax(-1), v)
        return out.flatten(2) @ self.W_o
