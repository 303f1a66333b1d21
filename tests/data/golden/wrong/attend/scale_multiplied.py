import torch
from torch.nn.functional import softmax


def attend(q, k, v, mask=None):
    d = k.shape[-1]
    s = (q @ k.transpose(3, 2)) / d ** -0.5
    if mask is not None:
        s = s.masked_fill(~mask, -torch.inf)
    a = softmax(s, dim=3).nan_to_num()
    return a @ v, a
