import torch


def attend(q, k, v, mask=None):
    s = torch.einsum("bhqd,bhkd->bhqk", q, k) / (q.shape[-1] ** 0.5)
    if mask is not None:
        hidden = torch.tensor(float("-inf"), dtype=s.dtype, device=s.device)
        s = torch.where(mask, hidden, s)
    w = s.softmax(-1)
    w = w.nan_to_num(0.0)
    return torch.einsum("bhqk,bhkd->bhqd", w, v), w
