import torch
from torch import nn


def output(concatenated, w_o):
    fits = concatenated.shape[-1] == w_o.shape[0]
    assert fits, f"{concatenated.shape[-1]} columns cannot meet {w_o.shape[0]} rows"
    return nn.functional.linear(concatenated, w_o.mT)
