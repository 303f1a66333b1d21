import torch


def attend(q, k, v, mask=None):
    # similarity of every query with every key
    scores = torch.matmul(q, k.transpose(-1, -2))
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    weights = torch.nan_to_num(weights, nan=0.0)  # rows without any key
    return torch.matmul(weights, v), weights
