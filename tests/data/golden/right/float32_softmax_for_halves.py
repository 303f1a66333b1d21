import torch
import torch.nn as nn

HALVES = (torch.float16, torch.bfloat16)


def softmax32(scores):
    """softmax in float32 when the scores are halves (a float64 stays a float64)"""
    if scores.dtype in HALVES:
        return torch.softmax(scores, dim=-1, dtype=torch.float32).type_as(scores)
    return torch.softmax(scores, dim=-1)


def attend(q, k, v, mask=None):
    scores = torch.matmul(q, k.transpose(2, 3)) * q.size(-1) ** -0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    probs = softmax32(scores)
    if mask is not None:
        probs = probs.masked_fill(~mask, 0)
    return torch.matmul(probs, v), probs


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("hidden_size must be divisible by num_heads")
        self.hidden_size, self.num_heads, self.head_dim = d_model, num_heads, d_model // num_heads
        self.W_q = nn.Linear(d_model, num_heads * self.head_dim, bias=False)
        self.W_k = nn.Linear(d_model, num_heads * self.head_dim, bias=False)
        self.W_v = nn.Linear(d_model, num_heads * self.head_dim, bias=False)
        self.W_o = nn.Linear(num_heads * self.head_dim, d_model, bias=False)

    def forward(self, hidden_states, *, past_key_value=None, use_cache=False):
        bsz, q_len, _ = hidden_states.size()
        query_states = self.W_q(hidden_states).view(bsz, q_len, self.num_heads, self.head_dim).transpose(1, 2)
        key_states = self.W_k(hidden_states).view(bsz, q_len, self.num_heads, self.head_dim).transpose(1, 2)
        value_states = self.W_v(hidden_states).view(bsz, q_len, self.num_heads, self.head_dim).transpose(1, 2)
        attn_output, _ = attend(query_states, key_states, value_states)
        if attn_output.size() != (bsz, self.num_heads, q_len, self.head_dim):
            raise RuntimeError("attn_output has a strange size")
        attn_output = attn_output.transpose(1, 2).contiguous().reshape(bsz, q_len, self.hidden_size)
        return self.W_o(attn_output)
