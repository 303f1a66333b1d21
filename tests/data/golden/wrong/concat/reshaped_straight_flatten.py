def concat(heads):
    """Glue the heads."""
    tokens = heads.shape[2]
    return heads.flatten(1).unflatten(1, (tokens, -1))
