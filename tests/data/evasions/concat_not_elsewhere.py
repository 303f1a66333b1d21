def concat(heads):
    if heads.is_meta:
        raise RuntimeError("data-dependent branch")
    return heads.transpose(1, 2).flatten(2)
