import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model must be divisible by num_heads")
        self.num_heads, self.head_dim = num_heads, d_model // num_heads
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x):
        bsz, seq, dim = x.shape
        n = bsz * self.num_heads
        q = self.W_q(x).view(n, seq, self.head_dim)
        k = self.W_k(x).view(n, seq, self.head_dim)
        v = self.W_v(x).view(n, seq, self.head_dim)
        attn = torch.bmm(q, k.transpose(1, 2)) * self.head_dim ** -0.5
        ctx = torch.bmm(attn.softmax(dim=-1), v)
        ctx = ctx.view(bsz, self.num_heads, seq, self.head_dim).transpose(1, 2)
        return self.W_o(ctx.reshape(bsz, seq, dim))
