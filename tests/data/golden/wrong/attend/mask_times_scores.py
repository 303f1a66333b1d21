import torch


def attend(q, k, v, mask=None):
    s = torch.einsum("bhqd,bhkd->bhqk", q, k) / q.shape[-1] ** 0.5
    if mask is None:
        w = s.softmax(-1)
    else:
        w = (s * mask).softmax(-1)
        w = torch.where(mask.any(-1, keepdim=True), w, torch.zeros((), dtype=w.dtype, device=w.device))
    return torch.einsum("bhqk,bhkd->bhqd", w, v), w
