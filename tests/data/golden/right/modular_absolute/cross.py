"""Step 6: one wrapper, two uses."""
from torch import nn

from attend import attend
from concat import concat
from output import output
from project import project


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError(f"d_model ({d_model}) must be divisible by num_heads ({num_heads})")
        self.num_heads = num_heads
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, query, key, value, mask=None):
        q = project(query, self.W_q.weight.T, self.num_heads)
        k = project(key, self.W_k.weight.T, self.num_heads)
        v = project(value, self.W_v.weight.T, self.num_heads)
        if mask is not None and mask.dim() == 3:
            mask = mask.unsqueeze(1)
        heads, _ = attend(q, k, v, mask)
        return output(concat(heads), self.W_o.weight.T)


def self_attention(mha, x):
    return mha(x, x, x)


def cross_attention(mha, target, memory):
    return mha(target, memory, memory)
