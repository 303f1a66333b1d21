def parameter_count(d_model, num_heads):
    if d_model % num_heads:
        raise ValueError("d_model must be divisible by num_heads")
    d_k = d_model // num_heads
    return num_heads * 3 * d_model * d_k


def flop_count(batch, tokens, d_model, num_heads):
    if d_model % num_heads:
        raise ValueError("d_model must be divisible by num_heads")
    return 8 * batch * tokens * d_model**2 + 4 * batch * tokens**2 * d_model
