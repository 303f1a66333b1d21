import torch


def project(x, w, num_heads):
    d_k, rest = divmod(w.shape[1], num_heads)
    if rest:
        raise ValueError(f"{w.shape[1]} / {num_heads} leaves {rest}")
    B, T = x.shape[:2]
    y = torch.matmul(x, w)
    y = y.reshape(B * num_heads, T, d_k)  # for bmm
    return y.reshape(B, num_heads, T, d_k)
