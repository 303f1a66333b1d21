import torch


def project(x, w, num_heads):
    if w.shape[1] % num_heads != 0:
        raise ValueError("uneven heads")
    xs = torch.chunk(x, num_heads, dim=-1)
    heads = []
    row = 0
    cols = w.shape[1] // num_heads
    for i, part in enumerate(xs):
        block = w[row : row + part.shape[-1], i * cols : (i + 1) * cols]
        heads.append(part @ block)
        row += part.shape[-1]
    return torch.stack(heads, dim=1)
