import torch
from torch import nn


def probabilities(scores, mask=None):
    if mask is None:
        return torch.exp(scores - torch.logsumexp(scores, dim=-1, keepdim=True))
    some = mask.any(dim=-1, keepdim=True)
    scores = torch.where(mask | ~some, scores, torch.tensor(float("-inf"), dtype=scores.dtype, device=scores.device))
    return torch.exp(scores - torch.logsumexp(scores, dim=-1, keepdim=True)) * some


def attend(q, k, v, mask=None):
    p = probabilities(q @ k.swapdims(2, 3) / q.shape[3] ** 0.5, mask)
    return p @ v, p


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"{num_heads} heads cannot share a width of {d_model}")
        self.num_heads = num_heads
        self.W_qkv = nn.Linear(d_model, 3 * d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x):
        b, t, d = x.size()
        q, k, v = self.W_qkv(x).view(b, t, 3, self.num_heads, d // self.num_heads).unbind(dim=2)
        q, k, v = q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2)
        p = probabilities(q @ k.transpose(2, 3) / (d // self.num_heads) ** 0.5)
        return self.W_o((p @ v).transpose(1, 2).contiguous().view(b, t, d))
