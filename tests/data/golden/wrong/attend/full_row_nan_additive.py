import torch


def attend(q, k, v, mask=None):
    s = torch.einsum("bhid,bhjd->bhij", q, k) * (q.size(-1) ** -0.5)
    if mask is not None:
        bias = torch.zeros_like(mask, dtype=s.dtype).masked_fill(~mask, float("-inf"))
        s = s + bias
    w = s.softmax(-1)
    return torch.einsum("bhij,bhjd->bhid", w, v), w
