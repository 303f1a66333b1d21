"""log 1 = 0 and log 0 = -inf: the mask as an addend."""
import torch
from torch import nn


def with_log_mask(scores, mask):
    has_key = mask.any(dim=-1, keepdim=True)
    safe = torch.logical_or(mask, torch.logical_not(has_key))
    return torch.softmax(scores + safe.to(scores.dtype).log(), dim=-1) * has_key


def attend(q, k, v, mask=None):
    scores = torch.matmul(q, k.transpose(-1, -2)) * q.shape[-1] ** -0.5
    weights = torch.softmax(scores, -1) if mask is None else with_log_mask(scores, mask)
    return torch.matmul(weights, v), weights


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        assert num_heads > 0 and d_model % num_heads == 0
        self.num_heads = num_heads
        self.W_qkv = nn.Linear(d_model, 3 * d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, query, key, value, mask=None):
        weight = self.W_qkv.weight.unflatten(0, (3, self.num_heads, -1))      # (3, h, d_k, d_model)
        q = torch.einsum("btd,hkd->bhtk", query, weight[0])
        k = torch.einsum("btd,hkd->bhtk", key, weight[1])
        v = torch.einsum("btd,hkd->bhtk", value, weight[2])
        heads, _ = attend(q, k, v, None if mask is None else mask.unsqueeze(-3))
        return self.W_o(heads.transpose(1, 2).flatten(2))


def self_attention(mha, x):
    return mha(x, x, x)


def cross_attention(mha, target, memory):
    return mha(target, memory, memory)


def library_mask(mask, num_heads):
    return mask.float().log().repeat_interleave(num_heads, dim=0)


def to_library(w_q, w_k, w_v, w_o, num_heads):
    mha = torch.nn.MultiheadAttention(embed_dim=w_q.size(0), num_heads=num_heads, bias=False, batch_first=True)
    d = w_q.size(0)
    with torch.no_grad():
        mha.in_proj_weight[:d] = w_q.t()
        mha.in_proj_weight[d:2 * d] = w_k.t()
        mha.in_proj_weight[2 * d:] = w_v.t()
        mha.out_proj.weight[:] = w_o.t()
    mha.eval()
    return mha
