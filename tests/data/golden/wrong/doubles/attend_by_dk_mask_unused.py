import torch


def attend(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / q.shape[-1]
    weights = torch.softmax(scores, dim=-1)
    return weights @ v, weights
