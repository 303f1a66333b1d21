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
        q, k, v = self.W_qkv(x).unflatten(-1, (3, self.h, -1)).permute(2, 0, 3, 1, 4)
        a = torch.softmax(q @ k.mT / q.shape[-1] ** 0.5, dim=-1)
        return self.W_o((a @ v).transpose(1, 2).flatten(2)), a
