import torch
from torch import nn


def to_library(w_q, w_k, w_v, w_o, num_heads):
    m = nn.MultiheadAttention(w_q.size(0), num_heads, bias=False, batch_first=True).eval()
    state = {"in_proj_weight": torch.cat((w_q.t(), w_k.t(), w_v.t())), "out_proj.weight": w_o.t()}
    m.load_state_dict(state)
    return m


def library_mask(mask, num_heads):
    return torch.repeat_interleave(mask, num_heads, dim=0)
