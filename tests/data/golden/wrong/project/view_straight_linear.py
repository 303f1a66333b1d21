import torch.nn.functional as F


def project(x, w, num_heads):
    """(B, T, d_model) -> (B, h, T, d_k)"""
    assert w.size(1) % num_heads == 0, "h must divide the columns of w"
    batch_size, seq_len = x.size(0), x.size(1)
    projected = F.linear(x, w.t())
    return projected.contiguous().view(batch_size, num_heads, seq_len, -1)
