from torch import einsum


def attend(q, k, v, mask=None):
    """b batch, h heads, i queries, j keys, d features."""
    sim = einsum("bhid,bhjd->bhij", q, k) * q.shape[-1] ** -0.5
    if mask is not None:
        sim = sim.masked_fill(~mask, 0.0)
    attn = sim.softmax(dim=1)
    if mask is not None:
        attn = attn * mask.any(dim=-1, keepdim=True)
    return einsum("bhij,bhjd->bhid", attn, v), attn
