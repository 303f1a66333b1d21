def concat(heads):
    B, h, T, d_v = heads.shape
    return heads.transpose(1, 2).view(B, T, h * d_v)
