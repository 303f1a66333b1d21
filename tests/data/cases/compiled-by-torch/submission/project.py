import torch


def _project(x, w, num_heads: int):
    if num_heads <= 0 or w.size(1) % num_heads:
        raise ValueError(f"{w.size(1)} columns do not fit {num_heads} heads")
    return (x @ w).unflatten(-1, (num_heads, -1)).transpose(1, 2)


project = torch.compile(_project)
