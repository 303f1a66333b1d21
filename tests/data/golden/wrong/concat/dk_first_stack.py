import torch


def concat(heads):
    return torch.stack(list(heads.unbind(1)), dim=-1).flatten(-2)
