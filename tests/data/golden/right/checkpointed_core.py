import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


def core(q, k, v, mask):
    s = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    if mask is not None:
        s = s.masked_fill(~mask, torch.finfo(s.dtype).min)
    w = s.softmax(-1)
    if mask is not None:
        w = w.masked_fill(~mask, 0.0)
    return w @ v, w


def attend(q, k, v, mask=None):
    return checkpoint(core, q, k, v, mask, use_reentrant=False, preserve_rng_state=False)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("d_model % num_heads != 0")
        self.num_heads = num_heads
        self.W_qkv = nn.Linear(d_model, 3 * d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x):
        q, k, v = self.W_qkv(x).unflatten(-1, (3, self.num_heads, -1)).permute(2, 0, 3, 1, 4)
        heads, _ = checkpoint(core, q, k, v, None, use_reentrant=False, preserve_rng_state=False)
        return self.W_o(heads.transpose(1, 2).flatten(2))
