import torch
import torch.nn as nn


class MaskedSoftmax(torch.autograd.Function):
    """rows without any True give zeros, forward and backward"""

    @staticmethod
    def forward(ctx, scores, keep):
        if keep is not None:
            scores = scores.masked_fill(~keep, float("-inf"))
        top = scores.amax(dim=-1, keepdim=True)
        top = top.masked_fill(top == float("-inf"), 0.0)
        e = torch.exp(scores - top)
        z = e.sum(dim=-1, keepdim=True)
        y = e / z.masked_fill(z == 0, 1.0)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, grad):
        (y,) = ctx.saved_tensors
        return y * (grad - (grad * y).sum(dim=-1, keepdim=True)), None


def attend(q, k, v, mask=None):
    weights = MaskedSoftmax.apply(q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5, mask)
    return weights @ v, weights


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model must be divisible by num_heads")
        self.num_heads = num_heads
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, query, key=None, value=None, mask=None):
        key = query if key is None else key
        value = query if value is None else value
        q, k, v = (
            w(t).reshape(t.shape[0], t.shape[1], self.num_heads, -1).transpose(1, 2)
            for w, t in ((self.W_q, query), (self.W_k, key), (self.W_v, value))
        )
        heads, _ = attend(q, k, v, mask if mask is None else mask.unsqueeze(-3))
        return self.W_o(heads.transpose(1, 2).reshape(query.shape))


def self_attention(mha, x):
    return mha(x, x, x)


def cross_attention(mha, target, memory):
    return mha(target, memory, memory)
