import math

import torch


def attend(q, k, v, mask=None):
    num_heads, d_k = q.size(1), q.size(3)
    d_model = num_heads * d_k
    scores = q @ k.transpose(2, 3) / math.sqrt(d_model)
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    weights = torch.softmax(scores, -1)
    if mask is not None:
        weights = weights.masked_fill(~mask, 0.0)
    return weights @ v, weights
