"""The output projection."""


def output(concatenated, w_o):
    if concatenated.shape[-1] != w_o.shape[0]:
        raise ValueError(f"heads are {concatenated.shape[-1]} wide, W_O takes {w_o.shape[0]}")
    return concatenated @ w_o
