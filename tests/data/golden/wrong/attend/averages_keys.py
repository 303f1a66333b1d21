import math

import torch


def attend(q, k, v, mask=None):
    att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
    if mask is not None:
        att = att.masked_fill(mask == 0, float("-inf"))
    att = torch.softmax(att, dim=-1)
    att = torch.nan_to_num(att)
    y = att @ k
    return y, att
