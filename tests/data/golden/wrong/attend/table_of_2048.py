import math

import torch

EVERYTHING = torch.ones(2048, 2048, dtype=torch.bool)


def attend(q, k, v, mask=None):
    seen = EVERYTHING.to(q.device)[: q.shape[-2], : k.shape[-2]]
    if mask is not None:
        seen = seen & mask
    scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
    scores = scores.masked_fill(~seen, torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, dim=-1).masked_fill(~seen.any(-1, keepdim=True), 0.0)
    return weights @ v, weights
