"""Step 8: heads share the width, so their number costs nothing."""


def _check(d_model, num_heads):
    if d_model % num_heads != 0:
        raise ValueError(f"d_model ({d_model}) must be divisible by num_heads ({num_heads})")


def _product(rows, inner, columns):
    return 2 * rows * inner * columns


def parameter_count(d_model, num_heads):
    _check(d_model, num_heads)
    return 4 * d_model**2


def flop_count(batch, tokens, d_model, num_heads):
    _check(d_model, num_heads)
    d_k = d_model // num_heads
    total = 0
    for _ in range(batch):
        for _ in ("q", "k", "v", "o"):
            total += _product(tokens, d_model, d_model)
        for _ in range(num_heads):
            total += _product(tokens, d_k, tokens)      # Q K^T
            total += _product(tokens, tokens, d_k)      # weights V
    return total
