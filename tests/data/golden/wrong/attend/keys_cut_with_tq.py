import torch


def attend(q, k, v, mask=None):
    B, H, T, D = q.shape
    q3 = q.reshape(B * H, T, D)
    k3 = k.reshape(B * H, T, D)
    v3 = v.reshape(B * H, T, v.shape[-1])
    s = torch.bmm(q3, k3.transpose(1, 2)).reshape(B, H, T, T) / D ** 0.5
    if mask is not None:
        s = s.masked_fill(~mask, float("-inf"))
    w = torch.nan_to_num(s.softmax(-1), nan=0.0)
    return w @ v3.reshape(B, H, T, -1), w
