"""All nine steps; if it can be said with einsum it is."""
import torch
from matplotlib.figure import Figure
from torch import einsum, nn


def project(x, w, num_heads):
    d_in, width = w.shape
    if width % num_heads:
        raise ValueError(f"num_heads={num_heads} does not divide {width}")
    return einsum("btd,dhk->bhtk", x, w.reshape(d_in, num_heads, width // num_heads))


def attend(q, k, v, mask=None):
    a = einsum("bhid,bhjd->bhij", q, k) * q.size(-1) ** -0.5
    if mask is None:
        w = a.softmax(-1)
    else:
        w = a.masked_fill(mask.logical_not(), torch.finfo(a.dtype).min).softmax(-1) * mask
    return einsum("bhij,bhjd->bhid", w, v), w


def concat(heads):
    # the identity does the work: out[b, t, h, d] = heads[b, h, t, d]
    return einsum("bhtd->bthd", heads).flatten(2)


def output(concatenated, w_o):
    if concatenated.size(2) != w_o.size(0):
        raise ValueError(f"cannot contract {concatenated.size(2)} with {w_o.size(0)}")
    return einsum("btc,cd->btd", concatenated, w_o)


class _Weights(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"{d_model} % {num_heads} != 0")
        self.h, self.d_k = num_heads, d_model // num_heads
        for name in ("W_q", "W_k", "W_v", "W_o"):
            p = nn.Parameter(torch.empty(d_model, d_model))
            nn.init.xavier_uniform_(p)
            self.register_parameter(name, p)

    def mix(self, query, key, value, mask=None):
        d = query.size(-1)
        Wq, Wk, Wv = (w.view(d, self.h, self.d_k) for w in (self.W_q, self.W_k, self.W_v))
        q = einsum("btd,dhk->bhtk", query, Wq)
        k = einsum("btd,dhk->bhtk", key, Wk)
        v = einsum("btd,dhk->bhtk", value, Wv)
        _, a = attend(q, k, v, mask)
        # W_O contracted in the same call, head by head
        return einsum("bhij,bhjk,hkd->bid", a, v, self.W_o.view(self.h, self.d_k, d))


class MultiHeadAttention(_Weights):
    def forward(self, x):
        return self.mix(x, x, x)


class MultiHeadAttention(_Weights):  # noqa
    def forward(self, query, key, value, mask=None):
        return self.mix(query, key, value, None if mask is None else mask.unsqueeze(-3))


def self_attention(mha, x):
    return mha(x, x, x)


def cross_attention(mha, target, memory):
    return mha(target, memory, memory)


def to_library(w_q, w_k, w_v, w_o, num_heads):
    lib = nn.MultiheadAttention(w_q.shape[0], num_heads, bias=False, batch_first=True)
    stacked = einsum("nio->noi", torch.stack([w_q, w_k, w_v])).flatten(0, 1)
    lib.load_state_dict({"in_proj_weight": stacked, "out_proj.weight": einsum("io->oi", w_o)})
    return lib.eval()


def library_mask(mask, num_heads):
    out = torch.zeros(mask.shape, dtype=torch.float32, device=mask.device).masked_fill(~mask, float("-inf"))
    return out.unsqueeze(1).expand(-1, num_heads, -1, -1).flatten(0, 1)


def parameter_count(d_model, num_heads):
    if d_model % num_heads:
        raise ValueError("heads")
    d_k = d_model // num_heads
    per_head = 3 * d_model * d_k
    return num_heads * per_head + (num_heads * d_k) * d_model


def flop_count(batch, tokens, d_model, num_heads):
    if d_model % num_heads:
        raise ValueError("heads")
    d_k = d_model // num_heads
    # one einsum, one product of all its letters
    size = dict(b=batch, t=tokens, i=tokens, j=tokens, d=d_model, h=num_heads, k=d_k)
    total = 0
    for letters in ("btdhk", "btdhk", "btdhk", "bhijk", "bhijk", "bthkd"):
        n = 2
        for c in letters:
            n *= size[c]
        total += n
    return total


def plot_heads(weights, tokens, heads=(0, 1)):
    fig = Figure(figsize=(3 * len(heads) + 1, 3), layout="constrained")
    axs = fig.subplots(1, len(heads), squeeze=False)
    for a, i in zip(axs.flat, heads):
        im = a.imshow(weights[i].tolist(), aspect="auto")
        a.set(title=f"head {i}", xlabel="key", ylabel="query")
        a.set_xticks(list(range(len(tokens))), labels=tokens)
        a.set_yticks(list(range(len(tokens))), labels=tokens)
        fig.colorbar(im, ax=a)
    return fig
