import math

import torch


def attend(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(~mask.any(dim=-1, keepdim=True), 0.0)
    heads = weights @ v
    return heads, weights


if __name__ == "__main__":
    from torch.nn.functional import scaled_dot_product_attention

    q, k, v = (torch.randn(2, 3, 5, 4) for _ in range(3))
    print(torch.allclose(attend(q, k, v)[0], scaled_dot_product_attention(q, k, v), atol=1e-6))
