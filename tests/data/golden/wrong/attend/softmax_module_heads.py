import torch
from torch import nn

softmax = nn.Softmax(dim=1)


def attend(query, key, value, mask=None):
    d_k = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1)) / d_k ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    p_attn = softmax(scores)
    p_attn = p_attn.nan_to_num(nan=0.0)
    return torch.matmul(p_attn, value), p_attn
