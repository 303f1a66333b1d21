from torch import nn

from . import attend as core
from .concat import concat
from .helpers.shapes import need_divisor, split


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        need_divisor(d_model, num_heads, "d_model")
        self.num_heads = num_heads
        self.W_qkv = nn.Linear(d_model, 3 * d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x):
        q, k, v = (split(t, self.num_heads) for t in self.W_qkv(x).chunk(3, -1))
        heads, _ = core.attend(q, k, v)
        return self.W_o(concat(heads))
