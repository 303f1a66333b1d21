import torch
import torch.nn as nn


def to_library(w_q, w_k, w_v, w_o, num_heads):
    embed_dim = w_q.size(0)
    layer = nn.MultiheadAttention(embed_dim, num_heads, dropout=0.0, bias=False, batch_first=True)
    layer.in_proj_weight = nn.Parameter(torch.vstack((w_q.T, w_k.T, w_v.T)).detach().clone())
    layer.out_proj.weight = nn.Parameter(w_o.T.detach().clone())
    layer.train(False)
    return layer


def library_mask(mask, num_heads):
    blocked = torch.logical_not(mask)
    return torch.stack([blocked] * num_heads, dim=1).flatten(0, 1)
