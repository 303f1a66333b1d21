from cross import ScaledDotProductAttention


def attend(q, k, v, mask=None):
    return ScaledDotProductAttention(temperature=q.shape[-1] ** 0.5)(q, k, v, mask)
