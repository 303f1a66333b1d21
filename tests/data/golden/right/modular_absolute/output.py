"""Step 4: W_O."""


def output(concatenated, w_o):
    if concatenated.shape[-1] != w_o.shape[0]:
        raise ValueError(
            f"the concatenated heads are {concatenated.shape[-1]} wide, but w_o has {w_o.shape[0]} rows"
        )
    return concatenated @ w_o
