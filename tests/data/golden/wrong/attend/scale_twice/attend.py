import torch


def attend(q, k, v, mask=None):
    """Scaled dot-product attention."""
    scale = q.shape[-1] ** -0.5
    q = q * scale
    scores = (q @ k.transpose(-2, -1)) * scale
    if mask is not None:
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    w = scores.softmax(-1)
    if mask is not None:
        w = w.masked_fill(~mask, 0)
    return w @ v, w
