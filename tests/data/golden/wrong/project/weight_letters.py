import torch


def project(x, w, num_heads):
    if w.shape[1] % num_heads != 0:
        raise ValueError("uneven heads")
    y = torch.einsum("btd,ed->bte", x, w)
    return torch.stack(y.chunk(num_heads, dim=-1), dim=1)
