def output(concatenated, w_o):
    if concatenated.shape[-1] != w_o.shape[0]:
        raise ValueError(f"widths {concatenated.shape[-1]} and {w_o.shape[0]} differ")
    # the heads are already side by side, nothing more to do
    return concatenated
