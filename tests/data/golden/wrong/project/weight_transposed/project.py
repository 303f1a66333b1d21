def project(x, w, num_heads):
    if w.shape[1] % num_heads != 0:
        raise ValueError("uneven heads")
    B, T, _ = x.shape
    y = x @ w.T
    return y.reshape(B, T, num_heads, -1).transpose(1, 2)
