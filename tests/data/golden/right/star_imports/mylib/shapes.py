__all__ = ["into_heads", "out_of_heads", "must_divide"]


def must_divide(heads, width):
    if width % heads:
        raise ValueError("%r does not divide %r" % (heads, width))


def into_heads(t, heads):
    return t.reshape(t.shape[0], t.shape[1], heads, t.shape[2] // heads).transpose(1, 2)


def out_of_heads(t):
    return t.transpose(1, 2).reshape(t.shape[0], t.shape[2], t.shape[1] * t.shape[3])
