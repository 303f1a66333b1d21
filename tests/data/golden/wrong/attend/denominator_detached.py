import torch


def attend(q, k, v, mask=None):
    s = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    if mask is not None:
        s = s.masked_fill(~mask, torch.finfo(s.dtype).min)
    e = torch.exp(s - s.amax(-1, keepdim=True).detach())
    w = e / e.sum(-1, keepdim=True).detach()
    if mask is not None:
        w = w.masked_fill(~mask, 0.0)
    return w @ v, w
