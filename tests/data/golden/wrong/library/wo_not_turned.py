import torch
from torch import nn


def to_library(w_q, w_k, w_v, w_o, num_heads):
    m = nn.MultiheadAttention(w_q.shape[0], num_heads, bias=False, batch_first=True)
    with torch.no_grad():
        m.in_proj_weight.copy_(torch.cat([w.T for w in (w_q, w_k, w_v)]))
        m.out_proj.weight.copy_(w_o)
    return m.eval()


def library_mask(mask, num_heads):
    return ~mask.repeat_interleave(num_heads, dim=0)
