import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model must be divisible by num_heads")
        d_k = d_model // num_heads
        self.scale = d_k**-0.5
        self.W_q = [nn.Linear(d_model, d_k, bias=False) for _ in range(num_heads)]
        self.W_k = [nn.Linear(d_model, d_k, bias=False) for _ in range(num_heads)]
        self.W_v = [nn.Linear(d_model, d_k, bias=False) for _ in range(num_heads)]
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x):
        heads = []
        for wq, wk, wv in zip(self.W_q, self.W_k, self.W_v):
            a = torch.softmax(wq(x) @ wk(x).mT * self.scale, dim=-1)
            heads.append(a @ wv(x))
        return self.W_o(torch.cat(heads, dim=-1))
