def concat(heads):
    b, h, t, d = heads.shape
    return heads.permute(0, 2, 3, 1).reshape(b, t, d * h)
