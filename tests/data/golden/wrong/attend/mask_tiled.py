import torch


def attend(q, k, v, mask=None):
    b, h, tq, d = q.shape
    tk = k.size(2)
    qm, km, vm = (t.reshape(b * h, t.size(2), t.size(3)) for t in (q, k, v))
    s = torch.bmm(qm, km.transpose(1, 2)) / d ** 0.5
    if mask is not None:
        m = mask.expand(b, h, tq, tk).transpose(0, 1).reshape(h * b, tq, tk)
        s = s.masked_fill(~m, float("-inf"))
    w = torch.softmax(s, -1).nan_to_num(0.0)
    return torch.bmm(w, vm).view(b, h, tq, -1), w.view(b, h, tq, tk)
