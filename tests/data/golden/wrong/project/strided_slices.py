import torch


def project(x, w, num_heads):
    if w.shape[1] % num_heads != 0:
        raise ValueError("uneven heads")
    heads = []
    for i in range(num_heads):
        heads.append(x @ w[:, i::num_heads])
    return torch.stack(heads, dim=1)
