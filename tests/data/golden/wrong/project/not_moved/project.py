def project(x, w, num_heads):
    b, t, _ = x.shape
    if w.shape[1] % num_heads != 0:
        raise ValueError("uneven heads")
    q = x @ w
    q = q.reshape(b, t, num_heads, w.shape[1] // num_heads)
    return q
