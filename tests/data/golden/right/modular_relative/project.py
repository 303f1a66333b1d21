from .helpers.shapes import need_divisor, split


def project(x, w, num_heads):
    need_divisor(w.shape[-1], num_heads, "columns of w")
    return split(x @ w, num_heads)
