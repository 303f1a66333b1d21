import torch
from torch import nn


def to_library(w_q, w_k, w_v, w_o, num_heads):
    lib = nn.MultiheadAttention(w_q.shape[0], num_heads, bias=False, batch_first=True)
    lib.in_proj_weight = nn.Parameter(torch.cat([w_q, w_k, w_v], dim=1).T.contiguous())
    lib.out_proj.weight = nn.Parameter(w_o.T.contiguous())
    return lib.eval()


def library_mask(mask, num_heads):
    additive = torch.zeros(mask.shape, dtype=torch.float32).masked_fill(mask, float("-inf"))
    return additive.repeat_interleave(num_heads, 0)
