import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model % num_heads must be 0")
        self.num_heads = num_heads
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)
        # kept in the state dict: how wide a head is (a whole number, exact in every dtype)
        self.register_buffer("d_k", torch.tensor(float(d_model // num_heads)))
        self.register_buffer("calls", torch.tensor(0))

    def forward(self, query, key, value, mask=None):
        q, k, v = (
            lin(t).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for lin, t in ((self.W_q, query), (self.W_k, key), (self.W_v, value))
        )
        scores = q @ k.mT / self.d_k.sqrt()
        if mask is not None:
            mask = mask.unsqueeze(-3)
            scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
        weights = scores.softmax(-1)
        if mask is not None:
            weights = weights * mask
        return self.W_o((weights @ v).transpose(1, 2).flatten(2))


def self_attention(mha, x):
    return mha(x, x, x)


def cross_attention(mha, target, memory):
    return mha(target, memory, memory)
