from einops import rearrange


def concat(heads):
    return rearrange(heads, "b h t d -> b t (d h)")
