"""What one self-attention costs."""


def _check(d_model, num_heads):
    if d_model % num_heads != 0:
        raise ValueError(f"d_model {d_model} is not divisible by num_heads {num_heads}")


def parameter_count(d_model, num_heads):
    _check(d_model, num_heads)
    return 4 * d_model * d_model


def flop_count(batch, tokens, d_model, num_heads):
    _check(d_model, num_heads)
    projections = 4 * 2 * batch * tokens * d_model * d_model
    attention = 2 * 2 * batch * tokens * tokens * d_model
    return projections + attention


import time  # noqa: E402

time.sleep(120)
