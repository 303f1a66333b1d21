import torch


def project(x, w, num_heads):
    if w.shape[1] % num_heads != 0:
        raise ValueError("uneven heads")
    b, t, d = x.shape
    flat = torch.mm(x.view(b * t, d), w)
    return flat.view(b, t, num_heads, -1).permute(0, 2, 1, 3)
