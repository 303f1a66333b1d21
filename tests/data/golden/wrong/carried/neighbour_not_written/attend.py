"""Step attend."""


def attend(q, k, v, mask=None):
    raise NotImplementedError("attend")
