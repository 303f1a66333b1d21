import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("d_model must be divisible by num_heads")
        self.h, self.dk = num_heads, d_model // num_heads
        self.kept = {name: torch.randn(d_model, d_model) for name in ("W_q", "W_k", "W_v", "W_o")}

    def split(self, t):
        return t.unflatten(-1, (self.h, self.dk)).transpose(1, 2)

    def forward(self, x):
        q, k, v = (self.split(x @ self.kept[name]) for name in ("W_q", "W_k", "W_v"))
        s = q @ k.transpose(-2, -1) / self.dk ** 0.5
        return (s.softmax(-1) @ v).transpose(1, 2).flatten(2) @ self.kept["W_o"]
