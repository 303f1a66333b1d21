def parameter_count(d_model, num_heads):
    if d_model % num_heads != 0:
        raise ValueError("not divisible")
    return 4 * d_model**2


def flop_count(batch, tokens, d_model, num_heads):
    if d_model % num_heads != 0:
        raise ValueError("not divisible")
    d_k = d_model // num_heads
    macs = 4 * batch * tokens * d_model**2
    macs += 2 * batch * num_heads * tokens * tokens * d_k
    return macs
