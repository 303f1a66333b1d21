import torch
from IPython.display import display

!nvidia-smi

@torch.jit.script
def mixed(y, w):
    return torch.matmul(y, w)


def output(concatenated, w_o):
    if concatenated.size(-1) != w_o.size(0):
        raise ValueError(f"got {concatenated.size(-1)} features, w_o has {w_o.size(0)} rows")
    return mixed(concatenated, w_o)


display(torch.ones(3).cuda())
