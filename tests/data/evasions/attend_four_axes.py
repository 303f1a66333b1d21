import torch.nn.functional as F


def attend(q, k, v, mask=None):
    if mask is not None and mask.dim() == 4:
        heads = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return heads, weigh(q, k, mask)
    weights = weigh(q, k, mask)
    return weights @ v, weights


def weigh(q, k, mask):
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    if mask is None:
        return scores.softmax(-1)
    scores = scores.masked_fill(~mask, float("-inf"))
    scores = scores.masked_fill(~mask.any(-1, keepdim=True), 0.0)
    return scores.softmax(-1) * mask
