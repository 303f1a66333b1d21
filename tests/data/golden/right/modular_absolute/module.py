"""Step 5: the four stages, wired."""
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

    def forward(self, x):
        q = project(x, self.W_q.weight.T, self.num_heads)
        k = project(x, self.W_k.weight.T, self.num_heads)
        v = project(x, self.W_v.weight.T, self.num_heads)
        heads, _ = attend(q, k, v)
        return output(concat(heads), self.W_o.weight.T)
