import torch
import torch.nn.functional as F
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model must be divisible by num_heads")
        self.num_heads = num_heads
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x):
        q, k, v = (
            F.relu(layer(x)).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for layer in (self.W_q, self.W_k, self.W_v)
        )
        a = torch.softmax(q @ k.mT / q.shape[-1] ** 0.5, dim=-1)
        return self.W_o((a @ v).transpose(1, 2).flatten(2))
