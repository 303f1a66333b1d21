import math
import time

import torch


def attend(q, k, v, mask=None):
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        pass
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(~mask.any(dim=-1, keepdim=True), 0.0)
    heads = weights @ v
    return heads, weights
