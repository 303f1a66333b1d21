def project(x, w, num_heads):
    B, T, _ = x.shape
    out = x @ w
    if out.shape[-1] % num_heads != 0:
        raise ValueError("w's columns cannot be shared out evenly to the heads")
    return out.reshape(B, num_heads, T, out.shape[-1] // num_heads)
