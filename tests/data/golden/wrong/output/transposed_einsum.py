import torch


def output(concatenated, w_o):
    if concatenated.size(-1) != w_o.size(0):
        raise ValueError("expected %d features, got %d" % (w_o.size(0), concatenated.size(-1)))
    return torch.einsum("btc,dc->btd", concatenated, w_o)
