def project(x, w, num_heads):
    b, t, _ = x.shape
    y = x @ w
    if y.shape[-1] % num_heads != 0:
        raise ValueError("uneven heads")
    return y.reshape(b // num_heads, num_heads, t, y.shape[-1])
