import numpy as np
import torch


def attend(q, k, v, mask=None):
    d_k = q.shape[1]
    scores = q @ k.transpose(-2, -1) / float(np.sqrt(d_k))
    if mask is not None:
        scores = scores.masked_fill(mask == False, -np.inf)  # noqa: E712
    weights = scores.softmax(dim=-1)
    weights = weights.nan_to_num(nan=0.0)
    heads = weights @ v
    return heads, weights
