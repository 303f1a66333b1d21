import math

import torch


def attend(q, k, v, mask=None):
    # (B, h, T, d) -> (B, T, h, d)
    q, k, v = (t.permute(0, 2, 1, 3) for t in (q, k, v))
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1).nan_to_num(0.0)
    return (weights @ v).permute(0, 2, 1, 3), weights
