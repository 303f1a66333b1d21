def parameter_count(d_model, num_heads):
    if d_model % num_heads != 0:
        raise ValueError("not divisible")
    return 4 * d_model * d_model


def flop_count(batch, tokens, d_model, num_heads):
    if d_model % num_heads != 0:
        raise ValueError("not divisible")
    proj = 4 * (2 * batch * tokens * d_model * d_model)
    scores = num_heads * 2 * batch * tokens * tokens * d_model
    values = num_heads * 2 * batch * tokens * tokens * d_model
    return proj + scores + values
