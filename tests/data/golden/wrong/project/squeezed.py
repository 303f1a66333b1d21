import torch


def project(x, w, num_heads):
    if w.shape[1] % num_heads != 0:
        raise ValueError("uneven heads")
    parts = (x @ w).split(w.shape[1] // num_heads, dim=-1)
    return torch.stack([part for part in parts], dim=1).squeeze()
