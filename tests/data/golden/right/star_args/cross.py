from torch import nn

try:
    from .attend import attend
except ImportError:
    from attend import attend


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, **kw):
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f'{d_model} % {num_heads}')
        self.num_heads = num_heads
        for n in ('W_q', 'W_k', 'W_v', 'W_o'):
            self.add_module(n, nn.Linear(d_model, d_model, bias=False))

    def forward(self, *inputs, mask=None):
        if len(inputs) == 4:
            *inputs, mask = inputs
        q, k, v = (w(t).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
                   for w, t in zip(self.children(), inputs))
        o, _ = attend(q, k, v, mask=None if mask is None else mask.unsqueeze(-3))
        return self.W_o(o.transpose(1, 2).flatten(2))


def self_attention(mha, *xs):
    return mha(*xs * 3)


def cross_attention(mha, *streams):
    target, memory = streams
    return mha(target, memory, memory)
