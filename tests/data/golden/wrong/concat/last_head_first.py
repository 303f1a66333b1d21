import torch


def concat(heads):
    out = heads[:, 0]
    for i in range(1, heads.shape[1]):
        out = torch.cat([heads[:, i], out], dim=-1)
    return out
