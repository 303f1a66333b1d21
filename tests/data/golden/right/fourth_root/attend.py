import torch


def attend(q, k, v, mask=None):
    # half of the scale on each side: kinder to float16 than dividing afterwards
    scale = q.shape[-1] ** -0.25
    qk = (q * scale) @ (k * scale).transpose(-1, -2)
    if mask is not None:
        qk = qk.masked_fill(~mask, torch.finfo(qk.dtype).min)
    w = qk.softmax(dim=-1)
    if mask is not None:
        w = w.masked_fill(~mask, 0)
    return w @ v, w
