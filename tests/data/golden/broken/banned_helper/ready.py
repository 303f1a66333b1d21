from torch.nn.functional import scaled_dot_product_attention


def ready_made(q, k, v):
    return scaled_dot_product_attention(q, k, v)
