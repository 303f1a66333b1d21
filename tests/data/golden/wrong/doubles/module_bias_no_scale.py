import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("num_heads must divide d_model")
        self.h = num_heads
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)

    def forward(self, x):
        b, t, d = x.shape
        queries = self.W_q(x).reshape(b, t, self.h, d // self.h).transpose(1, 2)
        keys = self.W_k(x).reshape(b, t, self.h, d // self.h).transpose(1, 2)
        values = self.W_v(x).reshape(b, t, self.h, d // self.h).transpose(1, 2)
        energy = torch.einsum("bhqd,bhkd->bhqk", queries, keys)
        attention = torch.softmax(energy, dim=3)
        out = torch.einsum("bhqk,bhkd->bhqd", attention, values)
        return self.W_o(out.transpose(1, 2).reshape(b, t, d))
