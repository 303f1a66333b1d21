import torch as t


def attend(Q, K, V, mask=None):
    dk = Q.size(-1)
    A = t.einsum("nhqd,nhkd->nhqk", Q, K)
    if mask is not None:
        A = A.masked_fill(~mask, t.finfo(A.dtype).min)
    A = A.softmax(-1)
    if mask is not None:
        A = A * mask.any(-1, keepdim=True)
    A = A * dk ** -0.5
    return t.einsum("nhqk,nhkd->nhqd", A, V), A
