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
        B, T, D = x.shape
        k, q, v = self.W_qkv(x).chunk(3, dim=-1)
        q = q.reshape(B, T, self.h, D // self.h).transpose(1, 2)
        k = k.reshape(B, T, self.h, D // self.h).transpose(1, 2)
        v = v.reshape(B, T, self.h, D // self.h).transpose(1, 2)
        a = torch.softmax(q @ k.mT / (D // self.h) ** 0.5, dim=-1)
        return self.W_o((a @ v).transpose(1, 2).reshape(B, T, D))
