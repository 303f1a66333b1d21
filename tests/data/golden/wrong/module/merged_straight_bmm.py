import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model must be divisible by num_heads")
        self.num_heads = num_heads
        self.head_dim = d_model // num_heads
        self.scaling = self.head_dim**-0.5
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def _shape(self, tensor, bsz):
        return tensor.view(bsz, -1, self.num_heads, self.head_dim).transpose(1, 2).flatten(0, 1)

    def forward(self, hidden_states):
        bsz, tgt_len, embed_dim = hidden_states.size()
        query_states = self._shape(self.W_q(hidden_states) * self.scaling, bsz)
        key_states = self._shape(self.W_k(hidden_states), bsz)
        value_states = self._shape(self.W_v(hidden_states), bsz)
        attn_weights = torch.bmm(query_states, key_states.transpose(1, 2)).softmax(dim=-1)
        attn_output = torch.bmm(attn_weights, value_states)
        return self.W_o(attn_output.reshape(bsz, tgt_len, embed_dim))
