def concat(heads):
    b, h, t, d = heads.shape
    return heads.permute(0, 2, 1, 3).reshape(b, t, h * d).squeeze()
