def parameter_count(d_model, num_heads):
    if d_model % num_heads != 0:
        raise ValueError("not divisible")
    return num_heads * 3 * d_model * d_model + d_model * d_model


def flop_count(batch, tokens, d_model, num_heads):
    if d_model % num_heads != 0:
        raise ValueError("not divisible")
    return 8 * batch * tokens * d_model * d_model + 4 * batch * tokens * tokens * d_model
