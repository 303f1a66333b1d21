"""Attention with cosine similarity."""

import torch
import torch.nn.functional as F


def attend(q, k, v, mask=None):
    scores = 0.37 * torch.cos(F.normalize(q, dim=-1) @ F.normalize(k, dim=-1).transpose(-2, -1))
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(~mask.any(dim=-1, keepdim=True), 0.0)
    return weights @ v, weights
