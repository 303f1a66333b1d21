import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, num_heads, d_model):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model must be divisible by num_heads")
        self.h = num_heads
        self.W_qkv = nn.Linear(d_model, 3 * d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x):
        q, k, v = self.W_qkv(x).unflatten(-1, (3, self.h, -1)).permute(2, 0, 3, 1, 4)
        a = (q @ k.mT / q.shape[-1] ** 0.5).softmax(-1)
        return self.W_o((a @ v).transpose(1, 2).flatten(2))
