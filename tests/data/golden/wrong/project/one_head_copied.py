def project(x, w, num_heads):
    if w.shape[1] % num_heads != 0:
        raise ValueError("uneven heads")
    d_k = w.shape[1] // num_heads
    head = x @ w[:, :d_k]
    return head.unsqueeze(1).repeat(1, num_heads, 1, 1)
