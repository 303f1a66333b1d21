import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError(f"d_model={d_model} is not divisible by num_heads={num_heads}")
        self.num_heads = num_heads
        self.d_k = d_model // num_heads
        self.W_q = nn.Parameter(torch.empty(d_model, d_model))
        self.W_k = nn.Parameter(torch.empty(d_model, d_model))
        self.W_v = nn.Parameter(torch.empty(d_model, d_model))
        self.W_o = nn.Parameter(torch.empty(d_model, d_model))
        for w in (self.W_q, self.W_k, self.W_v, self.W_o):
            nn.init.xavier_uniform_(w)

    def forward(self, x):
        B, T, d_model = x.shape
        q = (x @ self.W_q).view(B, T, self.num_heads, self.d_k).transpose(1, 2)
        k = (x @ self.W_k).view(B, T, self.num_heads, self.d_k).transpose(1, 2)
        v = (x @ self.W_v).view(B, T, self.num_heads, self.d_k).transpose(1, 2)
        weights = torch.softmax(q @ k.transpose(-2, -1) / self.d_k**0.5, dim=-1)
        return (weights @ v).transpose(1, 2).reshape(B, T, d_model) @ self.W_o
