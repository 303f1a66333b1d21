import torch
from torch import nn
from torch.nn.utils import vector_to_parameters


def to_library(w_q, w_k, w_v, w_o, num_heads):
    mha = nn.MultiheadAttention(len(w_q), num_heads, bias=False, batch_first=True, dtype=w_q.dtype)
    vector_to_parameters(torch.cat([w.t().reshape(-1) for w in (w_q, w_k, w_v, w_o)]), mha.parameters())
    return mha.requires_grad_(False).eval()


def library_mask(mask, num_heads):
    """float32: 0 where allowed, -inf where not; sample 0's heads first, then sample 1's"""
    B, Tq, Tk = mask.shape
    bias = torch.full((B, num_heads, Tq, Tk), float("-inf"))
    for b in range(B):
        for i in range(num_heads):
            bias[b, i][mask[b]] = 0.0
    return bias.view(B * num_heads, Tq, Tk)
