def parameter_count(d_model, num_heads):
    if d_model % num_heads != 0:
        raise ValueError("not divisible")
    return 4 * d_model**2


def flop_count(batch, tokens, d_model, num_heads):
    if d_model % num_heads != 0:
        raise ValueError("not divisible")
    return 2 * batch * tokens * d_model * d_model * 4
