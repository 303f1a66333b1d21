from torch import *
from mylib import *


def project(x, w, num_heads):
    must_divide(num_heads, w.shape[1])
    return into_heads(matmul(x, w), num_heads)
