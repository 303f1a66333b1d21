"""Step attend."""


def attend(q, k, v, mask=None):
    """Scaled dot-product attention."""
    raise NotImplementedError("attend: not written yet")
