import torch
from torch import nn


def to_library(w_q, w_k, w_v, w_o, num_heads):
    lib = nn.MultiheadAttention(w_q.shape[0], num_heads, bias=False, batch_first=True)
    with torch.no_grad():
        lib.in_proj_weight.copy_(torch.cat([w_q, w_k, w_v], dim=1).T)
        lib.out_proj.weight.copy_(w_o.T)
    return lib.eval()


def library_mask(mask, num_heads):
    additive = torch.where(mask, 0.0, -10000.0)
    return additive.repeat_interleave(num_heads, 0)
