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
        q, v, k = (t.unflatten(-1, (self.h, -1)).transpose(1, 2) for t in self.W_qkv(x).chunk(3, dim=-1))
        a = torch.softmax(torch.einsum("bhid,bhjd->bhij", q, k) * q.shape[-1] ** -0.5, dim=-1)
        return self.W_o(torch.einsum("bhij,bhjd->bihd", a, v).flatten(2))
