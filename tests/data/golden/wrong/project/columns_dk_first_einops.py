from einops import rearrange


def project(x, w, num_heads):
    if w.shape[-1] % num_heads != 0:
        raise ValueError("heads do not divide the width")
    return rearrange(x @ w, "b t (d h) -> b h t d", h=num_heads)
