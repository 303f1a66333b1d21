from torch import nn

from .attend import attend
from .concat import concat
from .module import MultiHeadAttention as SelfAttention
from .project import project


class MultiHeadAttention(SelfAttention):
    def forward(self, query, key, value, mask=None):
        weights = self.W_qkv.weight.T.chunk(3, dim=-1)
        q, k, v = (project(t, w, self.num_heads) for t, w in zip((query, key, value), weights))
        if mask is not None:
            mask = mask[..., None, :, :]
        heads, _ = attend(q, k, v, mask)
        return self.W_o(concat(heads))


def self_attention(mha, x):
    return mha(x, x, x)


def cross_attention(mha, target, memory):
    return mha(target, memory, value=memory)
