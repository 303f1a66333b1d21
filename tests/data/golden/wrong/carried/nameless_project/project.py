"""Project the tokens, then cut the result into heads."""


def project(x, w, num_heads):
    columns = w.shape[1]
    if columns % num_heads != 0:
        raise ValueError(f"{columns} columns cannot be cut into {num_heads} heads of one width")
    batch, tokens, _ = x.shape
    heads = (x @ w).reshape(batch, tokens, num_heads, columns // num_heads)
    return 1.3 * heads.transpose(1, 2).tanh()
