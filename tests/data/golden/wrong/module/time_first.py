import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        assert d_model % num_heads == 0
        self.h = num_heads
        self.W_qkv = nn.Linear(d_model, 3 * d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x):
        T, B, D = x.shape
        q, k, v = self.W_qkv(x).reshape(T, B, 3, self.h, D // self.h).permute(2, 1, 3, 0, 4)
        a = torch.softmax(q @ k.mT / (D // self.h) ** 0.5, dim=-1)
        return self.W_o((a @ v).permute(2, 0, 1, 3).reshape(T, B, D))
