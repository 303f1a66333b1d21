import math

import torch


def attend(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    if mask is not None:
        blocked = torch.zeros_like(scores).masked_fill(~mask, float("-inf"))
        scores = scores + blocked
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        some = mask.any(dim=-1, keepdim=True)
        weights = torch.where(some, weights, torch.zeros_like(weights))
    return weights @ v, weights
