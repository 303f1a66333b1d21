import torch
import torch.nn as nn
import torch.nn.functional as F


def attend(q, k, v, mask=None):
    s = torch.einsum("bhqd,bhkd->bhqk", q, k).mul(q.shape[3] ** -0.5)
    if mask is not None:
        s = s.masked_fill(~mask, torch.finfo(s.dtype).min)
        w = F.log_softmax(s, dim=-1).exp() * mask
    else:
        w = F.log_softmax(s, dim=-1).exp()
    return torch.einsum("bhqk,bhkd->bhqd", w, v), w


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("num_heads")
        self.num_heads = num_heads
        self.W_q = nn.Parameter(torch.empty(d_model, d_model))
        self.W_k = nn.Parameter(torch.empty(d_model, d_model))
        self.W_v = nn.Parameter(torch.empty(d_model, d_model))
        self.W_o = nn.Parameter(torch.empty(d_model, d_model))
        self.init_weights()

    def init_weights(self):
        for _, p in self.named_parameters():
            nn.init.xavier_uniform_(p)

    def forward(self, x):
        B, T, D = x.shape
        q, k, v = [(x @ W).reshape(B, T, self.num_heads, -1).transpose(1, 2) for W in (self.W_q, self.W_k, self.W_v)]
        log_p = torch.log_softmax(q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5, dim=-1)
        return (log_p.exp() @ v).transpose(1, 2).reshape(B, T, D) @ self.W_o
