import torch


def attend(*args, mask=None, **kwargs):
    q, k, v, *rest = args
    if rest:
        mask, = rest
    logits = torch.einsum('bhqd,bhkd->bhqk', q, k) / q.size(-1) ** .5
    if mask is not None:
        logits = logits.masked_fill(~mask, torch.finfo(logits.dtype).min)
    p = logits.softmax(-1)
    if mask is not None:
        p = p * mask
    return torch.einsum('bhqk,bhkd->bhqd', p, v), p
