import math

import torch


def attend(q, k, v, mask=None):
    heads = torch.empty_like(q)
    weights = []
    for i in range(q.shape[1]):
        scores = q[:, i] @ k[:, i].transpose(-2, -1) / math.sqrt(q.shape[-1])
        if mask is not None:
            keep = mask.expand(q.shape[0], q.shape[1], q.shape[2], k.shape[2])[:, i]
            scores = scores.masked_fill(~keep, float("-inf"))
        w = torch.nan_to_num(torch.softmax(scores, dim=-1), nan=0.0)
        heads[:, i] = w @ v[:, i]
        weights.append(w)
    return heads, torch.stack(weights, dim=1)
