import torch


def concat(heads):
    return torch.cat([heads[:, i] for i in range(heads.shape[1])], dim=1)
