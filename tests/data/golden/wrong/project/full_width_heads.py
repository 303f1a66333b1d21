def project(x, w, num_heads):
    if w.shape[1] % num_heads != 0:
        raise ValueError("uneven heads")
    y = x @ w
    return y[:, None].repeat(1, num_heads, 1, 1)
