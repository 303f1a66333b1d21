import math
from typing import Optional

import torch
import torch.nn.functional as F

@torch.jit.script
def ready(q, k, v, mask: Optional[torch.Tensor]):
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask)


def attend(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(~mask.any(dim=-1, keepdim=True), 0.0)
    heads = ready(q, k, v, mask)
    if mask is not None:
        heads = heads.masked_fill(~mask.any(dim=-1, keepdim=True), 0.0)
    return heads, weights
