import torch.nn.functional as F


def project(x, w, num_heads):
    if w.shape[1] % num_heads != 0:
        raise ValueError("uneven heads")
    y = F.relu(x @ w)
    return y.unflatten(-1, (num_heads, -1)).transpose(1, 2)
