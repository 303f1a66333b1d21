"""Self-attention with the causal mask that the next chapter will switch on."""
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, max_len=512, causal=False):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("n_embd % n_head must be 0")
        self.n_head, self.n_embd, self.causal = num_heads, d_model, causal
        # key, query, value projections for all heads, but in a batch
        self.W_qkv = nn.Linear(d_model, 3 * d_model, bias=False)
        # output projection
        self.W_o = nn.Linear(d_model, d_model, bias=False)
        self.register_buffer("tril", torch.tril(torch.ones(max_len, max_len, dtype=torch.bool)), persistent=False)

    def forward(self, x):
        B, T, C = x.size()
        q, k, v = self.W_qkv(x).split(self.n_embd, dim=2)
        k = k.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        q = q.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        v = v.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        att = (q @ k.transpose(-2, -1)) * (1.0 / k.size(-1) ** 0.5)
        if self.causal:
            att = att.masked_fill(~self.tril[:T, :T], float("-inf"))
        att = att.softmax(dim=-1)
        y = att @ v
        y = y.transpose(1, 2).contiguous().view(B, T, C)
        return self.W_o(y)
