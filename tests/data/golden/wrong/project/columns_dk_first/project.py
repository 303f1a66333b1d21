import torch


def project(x, w, num_heads):
    batch, tokens, _ = x.shape
    width = w.shape[1]
    if width % num_heads:
        raise ValueError("num_heads must divide the number of columns")
    y = torch.einsum("btm,mn->btn", x, w)
    y = y.reshape(batch, tokens, width // num_heads, num_heads)
    return y.permute(0, 3, 1, 2)
