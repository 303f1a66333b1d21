import torch
import torch.nn.functional as F


def attend(q, k, v, mask=None):
    b, h = q.shape[:2]
    q3, k3, v3 = q.flatten(0, 1), k.flatten(0, 1), v.flatten(0, 1)
    s = torch.bmm(q3, k3.transpose(1, 2)) / q.shape[3] ** 0.5
    if mask is not None:
        full = mask.expand(b, h, q.shape[2], k.shape[2]).flatten(0, 1)
        s = s.masked_fill(~full, float("-inf"))
    w = torch.nan_to_num(F.softmax(s, dim=1), nan=0.0)
    return torch.bmm(w, v3).unflatten(0, (b, h)), w.unflatten(0, (b, h))
