import torch


def attend(q, k, v, mask=None):
    scores = torch.matmul(q, k.transpose(-2, -1)) / 8.0  # sqrt(64)
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = torch.nan_to_num(torch.softmax(scores, dim=-1), nan=0.0)
    return torch.matmul(weights, v), weights
