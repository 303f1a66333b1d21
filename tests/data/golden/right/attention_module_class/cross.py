from typing import Optional, Tuple

import torch
import torch.nn as nn
from torch import Tensor


class ScaledDotProductAttention(nn.Module):
    """ Scaled Dot-Product Attention """

    def __init__(self, temperature, attn_dropout=0.0):
        super().__init__()
        self.temperature = temperature
        self.dropout = nn.Dropout(attn_dropout)
        self.softmax = nn.Softmax(dim=-1)

    def forward(self, q: Tensor, k: Tensor, v: Tensor, mask: Optional[Tensor] = None) -> Tuple[Tensor, Tensor]:
        attn = torch.matmul(q / self.temperature, k.transpose(2, 3))
        if mask is not None:
            attn = attn.masked_fill(mask.eq(False), torch.finfo(attn.dtype).min)
        attn = self.softmax(attn)
        if mask is not None:
            attn = attn.masked_fill(mask.eq(False), 0.0)
        attn = self.dropout(attn)
        output = torch.matmul(attn, v)
        return output, attn


class MultiHeadAttention(nn.Module):
    """ Multi-Head Attention module """

    def __init__(self, d_model, num_heads, dropout=0.0):
        super(MultiHeadAttention, self).__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model must be divisible by n_head")
        self.n_head = num_heads
        self.d_k = self.d_v = d_model // num_heads
        self.W_q = nn.Linear(d_model, num_heads * self.d_k, bias=False)
        self.W_k = nn.Linear(d_model, num_heads * self.d_k, bias=False)
        self.W_v = nn.Linear(d_model, num_heads * self.d_v, bias=False)
        self.W_o = nn.Linear(num_heads * self.d_v, d_model, bias=False)
        self.attention = ScaledDotProductAttention(temperature=self.d_k ** 0.5)
        self.dropout = nn.Dropout(dropout)

    @staticmethod
    def split(t, n_head):
        sz_b, length, width = t.shape
        return t.view(sz_b, length, n_head, width // n_head).transpose(1, 2)

    @staticmethod
    def merge(t):
        return t.transpose(1, 2).flatten(-2)

    def forward(self, query, key, value, mask=None):
        q = self.split(self.W_q(query), self.n_head)
        k = self.split(self.W_k(key), self.n_head)
        v = self.split(self.W_v(value), self.n_head)
        if mask is not None:
            if mask.dim() == 3:
                mask = mask.unsqueeze(1)  # For head axis broadcasting.
        q, _attn = self.attention(q, k, v, mask=mask)
        return self.dropout(self.W_o(self.merge(q)))


def self_attention(mha, x):
    return mha(x, x, x)


def cross_attention(mha, target, memory):
    return mha(target, memory, memory)
