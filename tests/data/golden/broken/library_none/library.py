def to_library(w_q, w_k, w_v, w_o, num_heads):
    return None


def library_mask(mask, num_heads):
    return None
