import torch
import torch.nn as nn
import matplotlib.pyplot as plt
from einops import einsum, rearrange, reduce, repeat


def project(x, w, num_heads):
    if w.shape[-1] % num_heads != 0:
        raise ValueError(f"the {w.shape[-1]} columns of w do not split into {num_heads} heads")
    return rearrange(x @ w, "b t (h d) -> b h t d", h=num_heads)


def attend(q, k, v, mask=None):
    sim = einsum(q, k, "b h i d, b h j d -> b h i j") / q.shape[-1] ** 0.5
    if mask is not None:
        blind = ~mask.any(dim=-1, keepdim=True)
        sim = sim.masked_fill(~(mask | blind), -torch.inf)
    attn = sim.softmax(dim=-1)
    if mask is not None:
        attn = attn.masked_fill(blind, 0.0)
    return einsum(attn, v, "b h i j, b h j d -> b h i d"), attn


def concat(heads):
    return rearrange(heads, "b h t d -> b t (h d)")


def output(concatenated, w_o):
    n, m = concatenated.shape[-1], w_o.shape[0]
    if n != m:
        raise ValueError(f"concatenated has width {n}, w_o expects {m}")
    return einsum(concatenated, w_o, "b t c, c d -> b t d")


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model has to be a multiple of num_heads")
        self.heads = num_heads
        self.W_qkv = nn.Linear(d_model, d_model * 3, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x):
        q, k, v = rearrange(self.W_qkv(x), "b t (three h d) -> three b h t d", three=3, h=self.heads)
        out, _ = attend(q, k, v)
        return self.W_o(rearrange(out, "b h t d -> b t (h d)"))


class MultiHeadAttention(nn.Module):  # noqa: F811
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model has to be a multiple of num_heads")
        self.heads = num_heads
        self.W_qkv = nn.Linear(d_model, d_model * 3, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, query, key, value, mask=None):
        ws = rearrange(self.W_qkv.weight, "(three o) i -> three i o", three=3)
        q, k, v = (project(t, w, self.heads) for t, w in zip((query, key, value), ws))
        if mask is not None:
            if mask.ndim == 2:
                mask = repeat(mask, "i j -> b i j", b=query.shape[0])
            mask = rearrange(mask, "b i j -> b 1 i j")
        out, _ = attend(q, k, v, mask)
        return self.W_o(concat(out))


def self_attention(mha, x):
    return mha(query=x, key=x, value=x)


def cross_attention(mha, target, memory):
    return mha(target, memory, memory)


def to_library(w_q, w_k, w_v, w_o, num_heads):
    m = nn.MultiheadAttention(w_o.shape[1], num_heads, bias=False, batch_first=True)
    m.in_proj_weight = nn.Parameter(rearrange([w_q, w_k, w_v], "n i o -> (n o) i"))
    m.out_proj.weight = nn.Parameter(rearrange(w_o, "i o -> o i").clone())
    m.eval()
    return m


def library_mask(mask, num_heads):
    return repeat(~mask, "b i j -> (b h) i j", h=num_heads)


def plot_heads(weights, tokens, heads=(0, 1)):
    # average over everything else is not asked, but nice to know
    _ = reduce(weights.float(), "h i j -> i j", "mean")
    fig, axs = plt.subplots(len(heads), 1, figsize=(4, 3.5 * len(heads)))
    if len(heads) == 1:
        axs = [axs]
    for n, h in enumerate(heads):
        axs[n].matshow(weights[h].detach().float().numpy())
        axs[n].set_xticks(range(len(tokens)))
        axs[n].set_yticks(range(len(tokens)))
        axs[n].set_xticklabels(tokens, rotation=45)
        axs[n].set_yticklabels(tokens)
        axs[n].set_title("Head %d" % h)
    plt.tight_layout()
    return fig
