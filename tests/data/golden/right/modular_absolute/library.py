"""Step 7: the library's own module."""
import torch
from torch import nn


def to_library(w_q, w_k, w_v, w_o, num_heads):
    mha = nn.MultiheadAttention(w_q.shape[0], num_heads, bias=False, batch_first=True)
    mha.load_state_dict({
        "in_proj_weight": torch.cat([w_q, w_k, w_v], dim=1).T,
        "out_proj.weight": w_o.T,
    })
    return mha.eval()


def library_mask(mask, num_heads):
    """the library wants (B*h, Tq, Tk), and True means forbidden"""
    batch, queries, keys = mask.shape
    return (~mask)[:, None].expand(batch, num_heads, queries, keys).reshape(-1, queries, keys)
