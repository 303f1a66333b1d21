import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model must be divisible by num_heads")
        self.d_k = d_model // num_heads
        self.W_q = nn.ModuleList([nn.Linear(d_model, self.d_k, bias=False)] * num_heads)
        self.W_k = nn.ModuleList([nn.Linear(d_model, self.d_k, bias=False)] * num_heads)
        self.W_v = nn.ModuleList([nn.Linear(d_model, self.d_k, bias=False)] * num_heads)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x):
        heads = []
        for q, k, v in zip(self.W_q, self.W_k, self.W_v):
            heads.append(torch.softmax(q(x) @ k(x).mT / self.d_k**0.5, dim=-1) @ v(x))
        return self.W_o(torch.cat(heads, dim=-1))
