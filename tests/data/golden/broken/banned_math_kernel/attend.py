import math

import torch

def additive(mask, q):
    if mask is None:
        return None
    return torch.zeros(mask.shape, dtype=q.dtype, device=q.device).masked_fill(~mask, -math.inf)


def attend(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(~mask.any(dim=-1, keepdim=True), 0.0)
    heads = torch._scaled_dot_product_attention_math(q, k, v, additive(mask, q))[0]
    if mask is not None:
        heads = heads.masked_fill(~mask.any(dim=-1, keepdim=True), 0.0)
    return heads, weights
