import torch


def weights_of(q, k, mask=None):
    s = torch.einsum("bhid,bhjd->bhij", q, k) * q.shape[-1] ** -0.5
    if mask is not None:
        s = s.masked_fill(~mask, float("-inf"))
    return torch.nan_to_num(torch.softmax(s, -1), nan=0.0)


def attend(q, k, v, mask=None):
    w = weights_of(q, k)
    return torch.einsum("bhij,bhjd->bhid", w, v), w
