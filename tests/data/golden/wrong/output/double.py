def output(concatenated, w_o):
    if concatenated.shape[-1] != w_o.shape[0]:
        raise ValueError(f"{concatenated.shape[-1]} != {w_o.shape[0]}")
    return concatenated.double() @ w_o.double()
