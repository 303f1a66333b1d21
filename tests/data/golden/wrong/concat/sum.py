def concat(heads):
    total = heads[:, 0]
    for i in range(1, heads.shape[1]):
        total = total + heads[:, i]
    return total
