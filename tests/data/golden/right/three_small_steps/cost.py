"""Let torch count: on the meta device nothing is computed."""
import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode


def parameter_count(d_model, num_heads):
    assert d_model % num_heads == 0, "num_heads must divide d_model"
    layers = [nn.Linear(d_model, d_model, bias=False, device="meta") for _ in range(4)]
    return sum(layer.weight.numel() for layer in layers)


def flop_count(batch, tokens, d_model, num_heads):
    assert d_model % num_heads == 0, "num_heads must divide d_model"
    x = torch.empty(batch, tokens, d_model, device="meta")
    w = torch.empty(d_model, d_model, device="meta")
    with FlopCounterMode(display=False) as counter:
        q, k, v = (torch.matmul(x, w).unflatten(-1, (num_heads, -1)).transpose(1, 2) for _ in range(3))
        heads = torch.matmul(torch.matmul(q, k.transpose(-1, -2)), v)
        torch.matmul(heads.transpose(1, 2).flatten(2), w)
    return counter.get_total_flops()
