def parameter_count(d_model, num_heads):
    return 4 * d_model * d_model


def flop_count(batch, tokens, d_model, num_heads):
    return 8 * batch * tokens * d_model * d_model + 4 * batch * tokens * tokens * d_model
