import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model must be divisible by num_heads")
        self.num_heads = num_heads
        self.W_q = nn.Parameter(torch.randn(d_model, d_model) * d_model**-0.5)
        self.W_k = nn.Parameter(torch.randn(d_model, d_model) * d_model**-0.5)
        self.W_v = nn.Parameter(torch.randn(d_model, d_model) * d_model**-0.5)
        self.W_o = torch.randn(d_model, d_model) * d_model**-0.5

    def forward(self, x):
        q, k, v = ((x @ w).unflatten(-1, (self.num_heads, -1)).transpose(1, 2) for w in (self.W_q, self.W_k, self.W_v))
        a = torch.softmax(q @ k.mT / q.shape[-1] ** 0.5, -1)
        return (a @ v).transpose(1, 2).flatten(2) @ self.W_o
