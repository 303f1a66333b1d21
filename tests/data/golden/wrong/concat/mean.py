def concat(heads):
    return heads.mean(dim=1)
