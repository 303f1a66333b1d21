import torch
from torch import nn


def split_heads(t, n):
    b, s, d = t.shape
    return t.contiguous().view(b, n, s, d // n)


def merge_heads(t):
    b, n, s, d = t.shape
    return t.permute(0, 2, 1, 3).reshape(b, s, n * d)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model must be divisible by num_heads")
        self.n = num_heads
        self.W_qkv = nn.Parameter(torch.empty(d_model, 3 * d_model).normal_(std=0.02))
        self.W_o = nn.Parameter(torch.empty(d_model, d_model).normal_(std=0.02))

    def forward(self, x):
        q, k, v = (split_heads(t, self.n) for t in torch.matmul(x, self.W_qkv).chunk(3, dim=-1))
        a = torch.einsum("bhqd,bhkd->bhqk", q * q.shape[-1] ** -0.5, k).softmax(-1)
        return merge_heads(a @ v) @ self.W_o
