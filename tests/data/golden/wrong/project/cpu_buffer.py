import torch


def project(x, w, num_heads):
    if w.shape[1] % num_heads != 0:
        raise ValueError("uneven heads")
    d_k = w.shape[1] // num_heads
    out = torch.zeros(x.shape[0], num_heads, x.shape[1], d_k, dtype=x.dtype)
    for i in range(num_heads):
        out[:, i] = x @ w[:, i * d_k : (i + 1) * d_k]
    return out
