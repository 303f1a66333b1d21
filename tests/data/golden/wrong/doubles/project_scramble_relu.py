def project(x, w, num_heads):
    if w.shape[1] % num_heads != 0:
        raise ValueError("uneven heads")
    b, t, _ = x.shape
    return (x @ w).relu().reshape(b, num_heads, t, w.shape[1] // num_heads)
