import torch
from torch import nn
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("d_model must be divisible by num_heads")
        self.h, self.dk = num_heads, d_model // num_heads
        self.W_q = nn.ModuleList([nn.Linear(d_model, self.dk, bias=False) for _ in range(num_heads)])
        self.W_k = nn.ModuleList([nn.Linear(d_model, self.dk, bias=False) for _ in range(num_heads)])
        self.W_v = nn.ModuleList([nn.Linear(d_model, self.dk, bias=False) for _ in range(num_heads)])
        self.W_o = nn.Linear(d_model, d_model, bias=False)
    def forward(self, x):
        out = []
        for q, k, v in zip(self.W_q, self.W_k, self.W_v):
            s = q(x) @ k(x).transpose(-2, -1) / self.dk ** 0.5
            out.append(s.softmax(-1) @ v(x))
        return self.W_o(torch.cat(out, -1))
