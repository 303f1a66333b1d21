import torch
from einops import rearrange
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        assert d_model % num_heads == 0
        self.num_heads = num_heads
        self.W_qkv = nn.Parameter(torch.randn(d_model, 3 * d_model) * d_model**-0.5)
        self.W_o = nn.Parameter(torch.randn(d_model, d_model) * d_model**-0.5)

    def forward(self, x):
        q, k, v = rearrange(x @ self.W_qkv, "b t (h k d) -> k b h t d", k=3, h=self.num_heads)
        a = torch.softmax(q @ k.mT / q.shape[-1] ** 0.5, dim=-1)
        return rearrange(a @ v, "b h t d -> b t (h d)") @ self.W_o
