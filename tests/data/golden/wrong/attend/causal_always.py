import math

import torch


def attend(q, k, v, mask=None):
    Tq, Tk = q.shape[-2], k.shape[-2]
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    causal = torch.ones(Tq, Tk, dtype=torch.bool, device=q.device).tril()
    allowed = causal if mask is None else mask & causal
    scores = scores.masked_fill(~allowed, float("-inf"))
    weights = torch.nan_to_num(torch.softmax(scores, dim=-1), nan=0.0)
    return weights @ v, weights
