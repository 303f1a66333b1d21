import math

import torch


def attend(q, k, v, mask=None):
    seq_len = k.shape[-2]
    scores = torch.einsum("...qd,...kd->...qk", q, k) / math.sqrt(seq_len)
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = torch.nan_to_num(torch.softmax(scores, dim=-1), nan=0.0)
    return torch.einsum("...qk,...kd->...qd", weights, v), weights
