def project(x, w, num_heads):
    if w.shape[1] % num_heads != 0:
        raise ValueError("uneven heads")
    b, t, _ = x.shape
    return (x.float() @ w.float()).reshape(b, t, num_heads, -1).transpose(1, 2)
