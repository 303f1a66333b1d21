import torch


def project(x, w, num_heads):
    if w.shape[1] % num_heads != 0:
        raise ValueError("uneven heads")
    d_k = w.shape[1] // num_heads
    y = (x @ w).detach().clone()
    return torch.stack([y[..., i * d_k : (i + 1) * d_k] for i in range(num_heads)], dim=1)
