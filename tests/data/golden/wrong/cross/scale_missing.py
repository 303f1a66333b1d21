from torch import einsum, finfo, nn, randn


class MultiHeadAttention(nn.Module):
    """Attention over two sequences, written with einsum."""

    def __init__(self, d_model, num_heads):
        super().__init__()
        assert d_model % num_heads == 0, "num_heads must divide d_model"
        self.h = num_heads
        self.W_q = nn.Parameter(randn(d_model, d_model) / d_model**0.5)
        self.W_k = nn.Parameter(randn(d_model, d_model) / d_model**0.5)
        self.W_v = nn.Parameter(randn(d_model, d_model) / d_model**0.5)
        self.W_o = nn.Parameter(randn(d_model, d_model) / d_model**0.5)

    def heads_of(self, x, w):
        return (x @ w).unflatten(-1, (self.h, -1))

    def forward(self, q, k, v, mask=None):
        q = self.heads_of(q, self.W_q)
        k = self.heads_of(k, self.W_k)
        v = self.heads_of(v, self.W_v)
        sim = einsum("bihd,bjhd->bhij", q, k)
        if mask is not None:
            mask = mask.unsqueeze(-3)
            sim = sim.masked_fill(~mask, finfo(sim.dtype).min)
        attn = sim.softmax(dim=-1)
        if mask is not None:
            attn = attn * mask.any(dim=-1, keepdim=True)
        return einsum("bhij,bjhd->bihd", attn, v).flatten(2) @ self.W_o


def self_attention(mha, x):
    return mha(x, x, x)


def cross_attention(mha, target, memory):
    return mha(target, memory, memory)
