import torch
import torch.nn as nn


def attend(q, k, v, mask=None):
    attn_scores = q @ k.transpose(2, 3)
    if mask is not None:
        blocked = torch.logical_not(mask)
        all_blocked = blocked.all(dim=-1, keepdim=True)
        attn_scores = attn_scores.masked_fill(blocked & ~all_blocked, -torch.inf)
    attn_weights = torch.softmax(attn_scores / k.shape[-1] ** 0.5, dim=-1)
    if mask is not None:
        attn_weights = attn_weights.masked_fill(all_blocked, 0.0)
    return attn_weights @ v, attn_weights


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, context_length=1024, dropout=0.0, qkv_bias=False):
        super().__init__()
        assert d_model % num_heads == 0, "d_out must be divisible by num_heads"
        self.d_out = d_model
        self.num_heads = num_heads
        self.head_dim = d_model // num_heads
        self.W_q = nn.Linear(d_model, d_model, bias=qkv_bias)
        self.W_k = nn.Linear(d_model, d_model, bias=qkv_bias)
        self.W_v = nn.Linear(d_model, d_model, bias=qkv_bias)
        self.W_o = nn.Linear(d_model, d_model, bias=qkv_bias)  # Linear layer to combine head outputs
        self.dropout = nn.Dropout(dropout)
        # for later chapters; not in the state dict and not used without causal=True
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1).bool(),
                             persistent=False)

    def forward(self, x, causal=False):
        b, num_tokens, _ = x.shape
        keys = self.W_k(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
        queries = self.W_q(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
        attn_scores = queries @ keys.transpose(2, 3)
        if causal:
            attn_scores.masked_fill_(self.mask[:num_tokens, :num_tokens], -torch.inf)
        attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
        attn_weights = self.dropout(attn_weights)
        context_vec = (attn_weights @ values).transpose(1, 2)
        context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
        return self.W_o(context_vec)
