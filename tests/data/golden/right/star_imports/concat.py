from torch import *            # brings torch.concat, which the next lines replace
from mylib import *


def concat(heads):
    return out_of_heads(heads)
