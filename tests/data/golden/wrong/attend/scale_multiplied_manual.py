import math

import torch


def my_softmax(x, keep):
    x = x - x.amax(dim=-1, keepdim=True)
    e = torch.exp(x)
    if keep is not None:
        e = e * keep
    total = e.sum(dim=-1, keepdim=True)
    return e / torch.where(total == 0, torch.ones_like(total), total)


def attend(q, k, v, mask=None):
    scores = torch.matmul(q, k.swapaxes(-1, -2)) * math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = my_softmax(scores, mask)
    return torch.matmul(weights, v), weights
