def parameter_count(d_model, num_heads):
    assert d_model % num_heads == 0
    return 4 * (d_model * d_model + d_model)


def flop_count(batch, tokens, d_model, num_heads):
    assert d_model % num_heads == 0
    per_token = 4 * 2 * d_model * d_model + 2 * 2 * tokens * d_model
    return batch * tokens * per_token
