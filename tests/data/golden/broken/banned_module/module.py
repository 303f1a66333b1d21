import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model must be divisible by num_heads")
        self.num_heads = num_heads
        self.W_qkv = nn.Linear(d_model, 3 * d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x):
        ready = nn.MultiheadAttention(x.shape[-1], self.num_heads, bias=False, batch_first=True).to(x)
        ready.in_proj_weight, ready.out_proj.weight = self.W_qkv.weight, self.W_o.weight
        return ready(x, x, x, need_weights=False)[0]
