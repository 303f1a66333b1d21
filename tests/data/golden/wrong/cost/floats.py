def parameter_count(d_model, num_heads):
    if d_model % num_heads != 0:
        raise ValueError("not divisible")
    return num_heads * 4 * d_model * (d_model / num_heads)


def flop_count(batch, tokens, d_model, num_heads):
    if d_model % num_heads != 0:
        raise ValueError("not divisible")
    d_k = d_model / num_heads
    return num_heads * (8 * batch * tokens * d_model * d_k + 4 * batch * tokens**2 * d_k)
