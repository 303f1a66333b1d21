import torch


def concat(heads: torch.Tensor) -> torch.Tensor:
    batch, n_heads, seq, dim = heads.size()
    return heads.contiguous().view(batch, seq, -1)
