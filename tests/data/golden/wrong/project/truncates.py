def project(x, w, num_heads):
    b, t, _ = x.shape
    d_k = w.shape[1] // num_heads
    y = x @ w[:, : num_heads * d_k]
    return y.reshape(b, t, num_heads, d_k).transpose(1, 2)
