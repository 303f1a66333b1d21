"""Step 3: head 0 first."""


def concat(heads):
    return heads.transpose(1, 2).flatten(start_dim=2)
