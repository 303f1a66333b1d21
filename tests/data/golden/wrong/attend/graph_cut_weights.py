import math

import torch


@torch.no_grad()
def get_weights(q, k, mask):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    return torch.nan_to_num(torch.softmax(scores, dim=-1), nan=0.0)


def attend(q, k, v, mask=None):
    weights = get_weights(q, k, mask)
    return weights @ v, weights
