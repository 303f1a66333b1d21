import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model must be divisible by num_heads")
        self.h = num_heads
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x):
        B, T, D = x.shape
        # heads go in front of the batch: (h * B, T, d_k)
        q, k, v = (torch.cat(f(x).chunk(self.h, dim=-1), dim=0) for f in (self.W_q, self.W_k, self.W_v))
        w = torch.softmax(torch.bmm(q, k.transpose(1, 2)) / q.shape[-1] ** 0.5, dim=-1)
        out = torch.bmm(w, v).reshape(B, self.h, T, -1)
        return self.W_o(out.transpose(1, 2).reshape(B, T, D))
