def project(x, w, num_heads):
    if w.shape[1] % num_heads:
        raise ValueError("the heads cannot share the columns")
    B, T, D = x.shape
    return (x @ w).reshape(B, num_heads, T, D // num_heads)
