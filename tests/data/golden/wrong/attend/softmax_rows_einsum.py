import torch


def attend(q, k, v, mask=None):
    scale = q.shape[-1] ** -0.5
    dots = torch.einsum("bhid,bhjd->bhij", q * scale, k)
    if mask is not None:
        dots = dots.masked_fill(~mask, -torch.inf)
    attn = dots.softmax(dim=2).nan_to_num(nan=0.0)
    out = torch.einsum("bhij,bhjd->bhid", attn, v)
    return out, attn
