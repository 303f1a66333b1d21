import torch
import torch.nn.functional as F


def one_head(q, k, v, mask):
    s = q @ k.mT
    if mask is None:
        w = F.softmax(s, -1)
    else:
        s = torch.where(mask, s, torch.full_like(s, -torch.inf))
        w = F.softmax(s, -1)
        w = torch.where(mask.any(-1, keepdim=True), w, torch.zeros_like(w))
    return w @ v, w


def attend(q, k, v, mask=None):
    B, H, Tq, _ = q.shape
    Tk = k.shape[2]
    if mask is not None:
        mask = mask.expand(B, H, Tq, Tk)
    outs, ws = [], []
    for i in range(H):
        o, w = one_head(q[:, i], k[:, i], v[:, i], None if mask is None else mask[:, i])
        outs.append(o)
        ws.append(w)
    return torch.stack(outs, 1), torch.stack(ws, 1)
