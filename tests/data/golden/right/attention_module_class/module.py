import torch.nn as nn

from cross import ScaledDotProductAttention


def make_splitter(num_heads, d_k):
    def split(t):
        return t.view(t.size(0), t.size(1), num_heads, d_k).transpose(1, 2)

    def merge(t):
        return t.transpose(1, 2).contiguous().view(t.size(0), -1, num_heads * d_k)

    return split, merge


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model must be divisible by n_head")
        # closures over two numbers, so a deep copy is harmless
        self.split, self.merge = make_splitter(num_heads, d_model // num_heads)
        self.W_qkv = nn.Linear(d_model, 3 * d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)
        self.attention = ScaledDotProductAttention((d_model // num_heads) ** 0.5)

    def forward(self, x):
        out, _ = self.attention(*map(self.split, self.W_qkv(x).chunk(3, dim=-1)))
        return self.W_o(self.merge(out))
