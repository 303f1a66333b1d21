import torch


def output(concatenated, w_o):
    if concatenated.shape[-1] != w_o.shape[0]:
        raise ValueError(f"{concatenated.shape[-1]} and {w_o.shape[0]} do not fit")
    if concatenated.is_meta:
        return torch.empty(*concatenated.shape[:-1], w_o.shape[1], dtype=w_o.dtype, device="meta")
    return concatenated @ w_o
