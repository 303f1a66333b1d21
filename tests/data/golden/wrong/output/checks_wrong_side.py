def output(concatenated, w_o):
    if concatenated.shape[-1] != w_o.shape[1]:
        raise ValueError(f"{concatenated.shape[-1]} != {w_o.shape[1]}")
    return concatenated @ w_o
