import torch
import torch.nn.functional as F
from torch.nn import Module, Parameter, init


def attend(q, k, v, mask=None):
    # F.linear(a, b) is a @ b.T, so this is q @ k.T
    B, h = q.shape[:2]
    scores = torch.stack([
        torch.stack([F.linear(q[b, i], k[b, i]) for i in range(h)]) for b in range(B)
    ]).div(q.shape[-1] ** 0.5)
    if mask is not None:
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = F.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights * mask
    return weights @ v, weights


class MultiHeadAttention(Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model must be divisible by num_heads")
        self.num_heads = num_heads
        shapes = {"W_q": d_model, "W_k": d_model, "W_v": d_model, "W_o": d_model}
        for name, width in shapes.items():
            self.register_parameter(name, Parameter(init.kaiming_uniform_(torch.empty(d_model, width), a=5 ** 0.5)))

    def forward(self, x):
        b, t, d = x.shape
        q = F.linear(x, self.W_q.T).view(b, t, self.num_heads, -1).transpose(1, 2)
        k = F.linear(x, self.W_k.T).view(b, t, self.num_heads, -1).transpose(1, 2)
        v = F.linear(x, self.W_v.T).view(b, t, self.num_heads, -1).transpose(1, 2)
        heads, _ = attend(q, k, v)
        return F.linear(heads.transpose(1, 2).reshape(b, t, d), self.W_o.T)
