import torch
from torch.nn import functional as F


def attend(query, key, value, mask=None):
    attn = F.softmax(query @ key.mT * key.size(-1) ** -0.5, dim=-1)
    if mask is not None:
        attn = attn.masked_fill(~mask, 0.0)
    return attn @ value, attn
