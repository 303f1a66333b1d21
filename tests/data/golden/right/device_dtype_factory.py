import torch
from torch import nn


def attend(q, k, v, mask=None):
    scale = torch.rsqrt(torch.tensor(q.size(-1), dtype=q.dtype, device=q.device))
    w = torch.softmax(torch.matmul(q, k.transpose(-1, -2)) * scale
                      if mask is None else
                      torch.matmul(q, k.transpose(-1, -2)).mul(scale)
                      .masked_fill(~mask, torch.finfo(q.dtype).min), dim=-1)
    w = w if mask is None else w.mul(mask)
    return torch.matmul(w, v), w


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, device=None, dtype=None):
        factory_kwargs = {"device": device, "dtype": dtype}
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("embed_dim must be divisible by num_heads")
        self.num_heads = num_heads
        self.W_qkv = nn.Parameter(torch.empty((d_model, 3 * d_model), **factory_kwargs))
        self.W_o = nn.Parameter(torch.empty((d_model, d_model), **factory_kwargs))
        self._reset_parameters()

    def _reset_parameters(self):
        nn.init.xavier_uniform_(self.W_qkv)
        nn.init.xavier_uniform_(self.W_o)

    def extra_repr(self):
        return f"num_heads={self.num_heads}"

    def forward(self, query, key, value, mask=None):
        Wq, Wk, Wv = self.W_qkv.tensor_split(3, dim=1)
        q = (query @ Wq).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
        k = (key @ Wk).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
        v = (value @ Wv).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
        heads, _ = attend(q, k, v, None if mask is None else mask.unsqueeze(-3))
        return heads.transpose(1, 2).flatten(2) @ self.W_o


def self_attention(mha, x):
    return mha(x, x, x)


def cross_attention(mha, target, memory):
    return mha(target, memory, memory)
