# after GPT-2's "Conv1D": tokens flattened, weights stored (in, out)
import torch
from torch import nn


def conv1d(x, w):
    flat = x.reshape(-1, x.size(-1))
    zero = torch.zeros(w.size(1), dtype=x.dtype, device=x.device)
    return torch.addmm(zero, flat, w).view(*x.shape[:-1], w.size(1))


def attend(q, k, v, mask=None):
    w = torch.matmul(q, k.transpose(-1, -2))
    w = w / torch.full([], k.size(-1) ** 0.5, dtype=w.dtype, device=w.device)
    if mask is not None:
        mask_value = torch.finfo(w.dtype).min
        mask_value = torch.full([], mask_value, dtype=w.dtype, device=w.device)
        w = torch.where(mask, w, mask_value)
    w = nn.functional.softmax(w, dim=-1)
    if mask is not None:
        w = torch.where(mask, w, torch.zeros([], dtype=w.dtype, device=w.device))
    return torch.matmul(w, v), w


def output(concatenated, w_o):
    if concatenated.size(-1) != w_o.size(0):
        raise ValueError(f"nx={concatenated.size(-1)} but the weight has nx={w_o.size(0)}")
    return conv1d(concatenated, w_o)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError(f"`embed_dim` must be divisible by num_heads (got {d_model} and {num_heads}).")
        self.num_heads = num_heads
        self.split_size = d_model
        self.W_qkv = nn.Parameter(torch.empty(d_model, 3 * d_model))
        self.W_o = nn.Parameter(torch.empty(d_model, d_model))
        nn.init.normal_(self.W_qkv, std=0.02)
        nn.init.normal_(self.W_o, std=0.02)

    def _split_heads(self, t):
        return t.view(t.size()[:-1] + (self.num_heads, t.size(-1) // self.num_heads)).permute(0, 2, 1, 3)

    def _merge_heads(self, t):
        t = t.permute(0, 2, 1, 3).contiguous()
        return t.view(t.size()[:-2] + (t.size(-2) * t.size(-1),))

    def forward(self, hidden_states, layer_past=None):
        query, key, value = conv1d(hidden_states, self.W_qkv).split(self.split_size, dim=2)
        query, key, value = map(self._split_heads, (query, key, value))
        attn_output, _ = attend(query, key, value)
        return conv1d(self._merge_heads(attn_output), self.W_o)
