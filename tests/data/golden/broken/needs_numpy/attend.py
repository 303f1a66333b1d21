import numpy as np
import torch


def attend(q, k, v, mask=None):
    a, b, c = (t.detach().double().numpy() for t in (q, k, v))
    scores = a @ b.swapaxes(-1, -2) / np.sqrt(a.shape[-1])
    if mask is not None:
        scores = np.where(mask.numpy(), scores, -1e300)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    if mask is not None:
        weights = weights * mask.numpy()
    total = weights.sum(axis=-1, keepdims=True)
    weights = weights / np.where(total == 0, 1, total)
    return torch.from_numpy(weights @ c).to(v.dtype), torch.from_numpy(weights).to(v.dtype)
