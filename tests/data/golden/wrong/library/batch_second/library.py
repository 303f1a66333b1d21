import torch
from torch import nn


def to_library(w_q, w_k, w_v, w_o, num_heads):
    m = nn.MultiheadAttention(w_q.shape[0], num_heads, bias=False)
    with torch.no_grad():
        m.in_proj_weight.copy_(torch.cat([w_q.T, w_k.T, w_v.T], dim=0))
        m.out_proj.weight.copy_(w_o.T)
    m.eval()
    return m


def library_mask(mask, num_heads):
    B, Tq, Tk = mask.shape
    return ~mask[:, None].expand(B, num_heads, Tq, Tk).reshape(B * num_heads, Tq, Tk)
