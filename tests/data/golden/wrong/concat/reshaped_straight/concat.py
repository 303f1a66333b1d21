def concat(heads):
    B, h, T, d_v = heads.shape
    return heads.reshape(B, T, h * d_v)
