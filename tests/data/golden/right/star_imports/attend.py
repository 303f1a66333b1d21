from math import *
from torch import *
from mylib import *
from mylib import constants


def attend(q, k, v, mask=None):
    s = matmul(q, transpose(k, 2, 3)) * (1 / sqrt_of(q.shape[3]))
    if mask is None:
        w = softmax(s, 3)
    else:
        some = mask.any(-1, keepdim=True)
        w = softmax(s.masked_fill(some & ~mask, constants.NEG_INF), 3).masked_fill(~some, constants.ZERO)
    return matmul(w, v), w


def sqrt_of(n):
    # torch's sqrt has hidden math's, so by hand
    return n ** 0.5
