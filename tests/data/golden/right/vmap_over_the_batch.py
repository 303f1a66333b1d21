import torch
import torch.nn as nn


def one_sample(q, k, v, mask=None):
    # no batch axis in here: (h, Tq, d_k) ...
    s = torch.einsum("hid,hjd->hij", q, k) / q.size(-1) ** 0.5
    if mask is None:
        w = s.softmax(-1)
    else:
        w = s.masked_fill(~mask, torch.finfo(s.dtype).min).softmax(-1).masked_fill(~mask, 0.0)
    return torch.einsum("hij,hjd->hid", w, v), w


def attend(q, k, v, mask=None):
    if mask is None:
        return torch.vmap(one_sample)(q, k, v)
    return torch.vmap(one_sample)(q, k, v, mask.expand(q.size(0), q.size(1), q.size(2), k.size(2)))


def concat(heads):
    return torch.vmap(lambda h: h.transpose(0, 1).flatten(1))(heads)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("num_heads must divide d_model")
        self.num_heads = num_heads
        self.W_qkv = nn.Linear(d_model, 3 * d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def sample(self, x):
        qkv = self.W_qkv(x)                                             # (T, 3 d_model)
        q, k, v = qkv.view(x.size(0), 3, self.num_heads, -1).permute(1, 2, 0, 3)
        heads, _ = one_sample(q, k, v)
        return self.W_o(heads.transpose(0, 1).flatten(1))

    def forward(self, x):
        return torch.vmap(self.sample)(x)
