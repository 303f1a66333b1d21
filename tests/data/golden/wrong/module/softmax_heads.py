import math

import torch.nn.functional as F
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        assert d_model % num_heads == 0
        self.num_heads, self.d_k = num_heads, d_model // num_heads
        self.W_qkv = nn.Linear(d_model, d_model * 3, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x):
        b, t, _ = x.shape
        q, k, v = self.W_qkv(x).view(b, t, 3, self.num_heads, self.d_k).permute(2, 0, 3, 1, 4)
        w = F.softmax(q @ k.transpose(2, 3) / math.sqrt(self.d_k), 1)
        return self.W_o((w @ v).transpose(1, 2).flatten(2))
