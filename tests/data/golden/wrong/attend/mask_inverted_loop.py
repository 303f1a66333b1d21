import torch


def attend(q, k, v, mask=None):
    b, h, tq, d = q.shape
    tk = k.shape[2]
    pad = None if mask is None else mask.broadcast_to(b, h, tq, tk)
    heads, weights = [], []
    for n in range(h):
        s = torch.bmm(q[:, n], k[:, n].transpose(1, 2)) / d ** 0.5
        if pad is not None:
            s = s.masked_fill(pad[:, n], float("-inf"))  # True = padding
        w = torch.softmax(s, dim=2).nan_to_num(0.0)
        weights.append(w)
        heads.append(torch.bmm(w, v[:, n]))
    return torch.stack(heads, dim=1), torch.stack(weights, dim=1)
