def project(x, w, num_heads):
    b, t, _ = x.shape
    return (x @ w).reshape(b, t, w.shape[1] // num_heads, num_heads).permute(0, 3, 1, 2)
