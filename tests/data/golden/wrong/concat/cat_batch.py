import torch


def concat(heads):
    return torch.cat(heads.unbind(dim=1))
