import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model must be divisible by num_heads")
        self.d_model, self.h = d_model, num_heads

    def forward(self, x):
        where = {"device": x.device, "dtype": x.dtype}
        self.W_qkv = nn.Linear(self.d_model, 3 * self.d_model, bias=False, **where)
        self.W_o = nn.Linear(self.d_model, self.d_model, bias=False, **where)
        q, k, v = self.W_qkv(x).unflatten(-1, (3, self.h, -1)).permute(2, 0, 3, 1, 4)
        a = (q @ k.mT / q.shape[-1] ** 0.5).softmax(-1)
        return self.W_o((a @ v).transpose(1, 2).flatten(2))
