import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        assert d_model % num_heads == 0, "d_model must be divisible by num_heads"
        self.num_heads = num_heads
        self.d_k = d_model // num_heads
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x):
        Q, K, V = self.W_q(x), self.W_k(x), self.W_v(x)
        result = []
        for i in range(self.num_heads):
            s = slice(i * self.d_k, (i + 1) * self.d_k)
            scores = Q[..., s] @ K[..., s].transpose(1, 2) * math.sqrt(self.d_k)
            result.append(torch.softmax(scores, dim=2) @ V[..., s])
        return self.W_o(torch.cat(result, dim=-1))
