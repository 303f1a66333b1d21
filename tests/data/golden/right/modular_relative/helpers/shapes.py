def need_divisor(width, num_heads, what):
    if num_heads < 1 or width % num_heads:
        raise ValueError(f"{what}: {width} is not a multiple of {num_heads}")


def split(t, num_heads):
    return t.unflatten(-1, (num_heads, -1)).transpose(-3, -2)


def merge(t):
    return t.transpose(-3, -2).flatten(-2)
