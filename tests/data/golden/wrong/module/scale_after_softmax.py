import torch
from einops import rearrange
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model % num_heads != 0")
        self.heads = num_heads
        self.scale = (d_model // num_heads) ** -0.5
        self.W_qkv = nn.Linear(d_model, 3 * d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x):
        q, k, v = (rearrange(t, "b n (h d) -> b h n d", h=self.heads) for t in self.W_qkv(x).chunk(3, -1))
        attn = torch.einsum("bhid,bhjd->bhij", q, k).softmax(dim=-1) * self.scale
        return self.W_o(rearrange(attn @ v, "b h n d -> b n (h d)"))
