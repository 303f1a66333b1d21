def output(concatenated, w_o):
    if concatenated.shape[-1] != w_o.shape[0]:
        raise ValueError(f"W_O does not take {concatenated.shape[-1]} features")
    return concatenated @ w_o
