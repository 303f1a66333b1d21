import torch


def concat(heads):
    batch, h, tokens, d_v = heads.shape
    wide = torch.zeros(batch, tokens, h * d_v, dtype=heads.dtype, device=heads.device)
    for i in range(h):
        left = torch.zeros(batch, tokens, i * d_v, dtype=heads.dtype, device=heads.device)
        right = torch.zeros(batch, tokens, (h - 1 - i) * d_v, dtype=heads.dtype, device=heads.device)
        wide = wide + torch.cat([left, heads[:, i], right], dim=-1)
    return wide
