import torch


def attend(q, k, v, mask=None):
    s = torch.einsum("bhqc,bhkc->bhqk", q, k) / q.shape[-1] ** 0.5
    if mask is None:
        a = torch.softmax(s, -1)
    else:
        rows = mask.any(-1, keepdim=True)
        a = torch.softmax(s.masked_fill(~mask & rows, float("-inf")), -1).masked_fill(~rows, 0.0)
    return torch.einsum("bhqk,bhkc->bhqc", a, v), a
