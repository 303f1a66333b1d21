import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.h, self.d_k = num_heads, d_model // num_heads
        inner = self.h * self.d_k
        self.W_q = nn.Linear(d_model, inner, bias=False)
        self.W_k = nn.Linear(d_model, inner, bias=False)
        self.W_v = nn.Linear(d_model, inner, bias=False)
        self.W_o = nn.Linear(inner, d_model, bias=False)

    def forward(self, x):
        q, k, v = (f(x).unflatten(-1, (self.h, self.d_k)).transpose(1, 2) for f in (self.W_q, self.W_k, self.W_v))
        a = torch.softmax(q @ k.mT / self.d_k**0.5, dim=-1)
        return self.W_o((a @ v).transpose(1, 2).flatten(2))
