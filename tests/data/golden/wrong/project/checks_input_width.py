def project(x, w, num_heads):
    b, t, d_model = x.shape
    if d_model % num_heads != 0:
        raise ValueError(f"{num_heads} heads do not divide {d_model}")
    return (x @ w).reshape(b, t, num_heads, d_model // num_heads).transpose(1, 2)
