from torch import einsum, finfo


def attend(q, k, v, mask=None):
    """Attention with einsum: i is the query, j the key."""
    sim = einsum("b h i d, b h j d -> b h i j", q, k)
    if mask is not None:
        sim = sim.masked_fill(~mask, finfo(sim.dtype).min)
    attn = sim.softmax(dim=-1)
    if mask is not None:
        attn = attn * mask.any(dim=-1, keepdim=True)
    return einsum("b h i j, b h j d -> b h i d", attn, v), attn
