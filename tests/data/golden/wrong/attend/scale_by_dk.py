import torch


def attend(q, k, v, mask=None):
    d_k = q.shape[-1]
    logits = torch.einsum("bhqd,bhkd->bhqk", q, k) / d_k
    if mask is not None:
        logits = logits.masked_fill(~mask, float("-inf"))
    p = torch.softmax(logits, dim=-1)
    p = torch.where(torch.isnan(p), torch.zeros_like(p), p)
    return torch.einsum("bhqk,bhkd->bhqd", p, v), p
