from torch.nn import *
from project import *
from attend import *
from concat import *


class MultiHeadAttention(Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        must_divide(num_heads, d_model)
        self.num_heads = num_heads
        self.W_q = Linear(d_model, d_model, bias=False)
        self.W_k = Linear(d_model, d_model, bias=False)
        self.W_v = Linear(d_model, d_model, bias=False)
        self.W_o = Linear(d_model, d_model, bias=False)

    def forward(self, query, key, value, mask=None):
        q = project(query, self.W_q.weight.t(), self.num_heads)
        k = project(key, self.W_k.weight.t(), self.num_heads)
        v = project(value, self.W_v.weight.t(), self.num_heads)
        if mask is not None:
            mask = mask.unsqueeze(-3)
        return self.W_o(concat(attend(q, k, v, mask)[0]))


def self_attention(mha, x):
    return mha(x, x, x)


def cross_attention(mha, target, memory):
    return mha(target, memory, memory)
